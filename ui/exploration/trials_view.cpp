// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_view.h"

#include "text/fidelity_text.h"
#include "trials_model.h"
#include "trials_order.h"
#include "widgets/labels.h"
#include "widgets/table_layout.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

// From these widths on there is room for the duration of the trials, and for their devices, beside words such
// as "over headroom". The tool tips state both as well.
constexpr int widthForTook = 500;
constexpr int widthForDevice = 570;

// Names under which the widths and the order are stored, independent of the language and the order of the
// columns.
QStringList columnNames()
{
    return {QStringLiteral("size"),   QStringLiteral("result"), QStringLiteral("rate"),
            QStringLiteral("memory"), QStringLiteral("trials"), QStringLiteral("took"),
            QStringLiteral("device")};
}

const QString ascending = QStringLiteral("ascending");
const QString descending = QStringLiteral("descending");

} // namespace

TrialsView::TrialsView(QWidget* parent)
    : Card(tr("Trials"), parent),
      m_model(new TrialsModel(this)),
      m_order(new TrialsOrder(this)),
      m_table(new QTreeView),
      m_legend(mutedLabel(QString(), this))
{
    m_order->setSourceModel(m_model);
    m_table->setModel(m_order);
    m_table->setAccessibleName(tr("Trials by size"));
    const int rowHeight = applyTableStyle(*m_table);
    const auto* header = m_table->header();
    m_columns = new ColumnWidths(m_table, m_table->header(), TrialsModel::Result, columnNames());
    m_columns->setHidden(TrialsModel::Device, true);
    m_columns->setHidden(TrialsModel::Took, true);
    m_table->setSortingEnabled(true);
    // The style would draw its indicator over right-aligned titles; the titles have an arrow of their own.
    m_table->header()->setSortIndicatorShown(false);
    m_table->sortByColumn(TrialsModel::Trials, Qt::DescendingOrder);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(tr("&Copy rows"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &TrialsView::copySelection);
    m_table->addAction(copy);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_selecting)
            emit sizeSelected(selectedSize());
    });

    auto* rows = new WholeRows(
        m_table, [header] { return header->height(); }, [rowHeight] { return rowHeight; }, this);
    body()->addWidget(rows, 1);
    m_legend->setFont(scaled(font(), 0.9));
    m_legend->hide();
    body()->addWidget(m_legend);
}

void TrialsView::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_order->setTheme(theme);
}

void TrialsView::display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    // A new exploration begins without a selection; the user did not clear it.
    const QScopedValueRollback selecting(m_selecting, true);
    const bool had = selectedSize().has_value();
    m_model->display(snapshot, unit);
    showLegend(snapshot);
    m_hasDevices = snapshot.devices.size() > 1;
    fitColumns();
    if (had && !selectedSize())
        emit sizeSelected(std::nullopt);
}

void TrialsView::showLegend(const engine::Snapshot& snapshot)
{
    const config::Fidelity fidelity = snapshot.run ? snapshot.run->fidelity : config::Fidelity();
    const QString legend = engine::markLegend(fidelity);
    setTextIfNew(m_legend, legend);
    m_legend->setToolTip(engine::fidelitySentence(fidelity));
    m_legend->setVisible(!legend.isEmpty() && !snapshot.trials.empty());
}

std::optional<std::int64_t> TrialsView::selectedSize() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return std::nullopt;
    const QModelIndex current = m_table->currentIndex();
    const bool isCurrentSelected = std::ranges::any_of(rows, [&](const QModelIndex& row) {
        return row.row() == current.row() && row.parent() == current.parent();
    });
    return (isCurrentSelected ? current : rows.front()).data(TrialsModel::SizeRole).toLongLong();
}

void TrialsView::setSelectedSize(std::optional<std::int64_t> microBatchSize)
{
    if (microBatchSize == selectedSize())
        return;
    const QScopedValueRollback selecting(m_selecting, true);
    const QModelIndex row =
        microBatchSize ? m_order->mapFromSource(m_model->indexOf(*microBatchSize)) : QModelIndex();
    if (!row.isValid()) {
        m_table->clearSelection();
        return;
    }
    m_table->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect |
                                                        QItemSelectionModel::Rows);
    m_table->scrollTo(row);
}

QString TrialsView::order() const
{
    const QHeaderView* header = m_table->header();
    return columnNames().at(header->sortIndicatorSection()) + QLatin1Char(' ') +
           (header->sortIndicatorOrder() == Qt::AscendingOrder ? ascending : descending);
}

void TrialsView::setOrder(const QString& order)
{
    const auto column = static_cast<int>(columnNames().indexOf(order.section(QLatin1Char(' '), 0, 0)));
    const QString direction = order.section(QLatin1Char(' '), 1);
    if (column >= 0 && (direction == ascending || direction == descending))
        m_table->sortByColumn(column, direction == ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
}

void TrialsView::resetLayout()
{
    m_columns->reset();
    m_table->sortByColumn(TrialsModel::Trials, Qt::DescendingOrder);
}

void TrialsView::offer(QAction* action)
{
    m_table->addAction(action);
}

void TrialsView::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    fitColumns();
}

void TrialsView::fitColumns()
{
    m_columns->setHidden(TrialsModel::Took, width() < widthForTook);
    m_columns->setHidden(TrialsModel::Device, !m_hasDevices || width() < widthForDevice);
}

void TrialsView::copySelection() const
{
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    // In their visual order, not in the order of selection.
    std::ranges::sort(rows, {}, [this](const QModelIndex& row) { return m_table->visualRect(row).top(); });
    QModelIndexList source;
    for (const QModelIndex& row : rows)
        source << m_order->mapToSource(row);
    QGuiApplication::clipboard()->setText(m_model->asText(source));
}

} // namespace batchpeak::ui

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_view.h"

#include "table_layout.h"
#include "trials_model.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <set>

namespace batchpeak::ui {

namespace {

// Under which the widths are kept, whatever the language and the order of the columns.
QStringList columnNames()
{
    return {QStringLiteral("number"), QStringLiteral("size"),   QStringLiteral("result"),
            QStringLiteral("rate"),   QStringLiteral("memory"), QStringLiteral("took"),
            QStringLiteral("device")};
}

} // namespace

TrialsView::TrialsView(QWidget* parent)
    : Card(tr("Trials"), parent), m_model(new TrialsModel(this)), m_table(new QTableView)
{
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Trials, newest first"));
    const int rowHeight = applyTableStyle(*m_table);
    const auto* header = m_table->horizontalHeader();
    m_columns = new ColumnWidths(m_table, TrialsModel::Result, columnNames());
    m_columns->setHidden(TrialsModel::Device, true);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(tr("&Copy rows"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &TrialsView::copySelection);
    m_table->addAction(copy);

    auto* rows = new WholeRows(
        m_table, [header] { return header->height(); }, [rowHeight] { return rowHeight; }, this);
    body()->addWidget(rows, 1);
}

void TrialsView::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
}

void TrialsView::display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    // There is room for one of the two beside the words of the results.
    m_columns->setHidden(TrialsModel::Device, snapshot.devices.size() < 2);
    m_columns->setHidden(TrialsModel::Took, snapshot.devices.size() >= 2);
    m_model->display(snapshot, unit);
}

void TrialsView::offer(QAction* action)
{
    m_table->addAction(action);
}

void TrialsView::copySelection() const
{
    std::set<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.insert(index.row());
    QGuiApplication::clipboard()->setText(m_model->asText({rows.begin(), rows.end()}));
}

} // namespace batchpeak::ui

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs_card.h"

#include "runs_model.h"
#include "widgets/buttons.h"
#include "widgets/labels.h"
#include "widgets/table_layout.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr int rowGap = 6;
// Rows that are visible if there are at least that many.
constexpr int minRows = 3;
// A narrower settings column would be unreadable; the settings are also the tool tip of each row.
constexpr int minSettingsWidth = 70;

// Names under which the widths are stored, independent of the language.
QStringList columnNames()
{
    return {QStringLiteral("run"),  QStringLiteral("size"),   QStringLiteral("rate"),
            QStringLiteral("loss"), QStringLiteral("result"), QStringLiteral("settings")};
}

} // namespace

RunsCard::RunsCard(RunsModel* model, QWidget* parent)
    : Card(tr("Runs"), parent),
      m_model(model),
      m_table(new QTableView),
      m_hint(wrapped(
          mutedLabel(tr("A run stays in this list and in the charts when the next one starts. To compare "
                        "with an earlier run, add the file that batchpeak train --events wrote."),
                     this))),
      m_remove(dialogButton(tr("&Remove"), "secondary", this))
{
    m_table->setModel(model);
    m_table->setAccessibleName(tr("Runs that are compared, newest first"));
    const int rowHeight = applyTableStyle(*m_table);
    m_table->setIconSize({28, 12});
    m_columns = new ColumnWidths(m_table, m_table->horizontalHeader(), RunsModel::Settings, columnNames());
    const auto* header = m_table->horizontalHeader();
    m_rows = new WholeRows(
        m_table, [header] { return header->height(); }, [rowHeight] { return rowHeight; }, this);
    m_rowHeight = rowHeight;

    auto* remove = new QAction(tr("&Remove"), this);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(remove);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_remove->setToolTip(tr("Take the chosen run out of the charts and out of this list"));
    auto* add = dialogButton(tr("&Add…"), "secondary", this);
    add->setToolTip(tr("Compare with another run that has written its events"));
    auto* buttons = new QWidget(this);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(rowGap);
    row->addStretch(1);
    row->addWidget(m_remove);
    row->addWidget(add);
    setHeaderWidget(buttons);
    body()->addWidget(m_hint);
    body()->addWidget(m_rows, 1);

    connect(remove, &QAction::triggered, this, &RunsCard::removeSelected);
    connect(m_remove, &QPushButton::clicked, this, &RunsCard::removeSelected);
    connect(add, &QPushButton::clicked, this, &RunsCard::addRequested);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsCard::followModel);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(model, signal, this, &RunsCard::followModel);
    followModel();
}

void RunsCard::followModel()
{
    const auto rows = m_table->selectionModel()->selectedRows();
    m_remove->setEnabled(rows.size() == 1 && m_model->isKept(rows.front().row()));
    m_hint->setVisible(m_model->rowCount() == 0);
    m_rows->setVisible(m_model->rowCount() > 0);
    m_rows->setMinimumHeight(m_table->horizontalHeader()->height() +
                             m_rowHeight * std::clamp(m_model->rowCount(), 1, minRows));
}

void RunsCard::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    int needed = minSettingsWidth;
    for (int column = 0; column < RunsModel::Settings; ++column)
        needed += m_table->columnWidth(column);
    const bool hides = m_table->viewport()->width() < needed;
    m_columns->setHidden(RunsModel::Settings, hides);
    // Some column must take the remaining width.
    m_table->horizontalHeader()->setSectionResizeMode(RunsModel::Result, hides ? QHeaderView::Stretch
                                                                               : QHeaderView::Interactive);
}

void RunsCard::removeSelected()
{
    const auto rows = m_table->selectionModel()->selectedRows();
    if (rows.size() == 1)
        m_model->remove(rows.front().row());
}

QVariantMap RunsCard::columnWidths() const
{
    return m_columns->chosen();
}

void RunsCard::setColumnWidths(const QVariantMap& widths)
{
    m_columns->setChosen(widths);
}

} // namespace batchpeak::ui

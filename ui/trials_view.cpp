// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_view.h"

#include "fonts.h"
#include "trials_model.h"
#include "whole_rows.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace batchpeak::ui {

namespace {

constexpr int cellPadding = 12;

} // namespace

TrialsView::TrialsView(QWidget* parent)
    : Card(tr("Trials"), parent), m_model(new TrialsModel(this)), m_table(new QTableView)
{
    const int rowHeight = fontMetrics().height() + 9;
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Trials, newest first"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setCornerButtonEnabled(false);
    m_table->setIconSize({13, 13});
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setMinimumSectionSize(rowHeight);
    m_table->verticalHeader()->setDefaultSectionSize(rowHeight);
    auto* header = m_table->horizontalHeader();
    header->setFont(scaled(font(), 1.0, QFont::DemiBold));
    header->setHighlightSections(false);
    header->setSectionsClickable(false);
    header->setFixedHeight(rowHeight + 2);
    header->setMinimumSectionSize(20);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(TrialRow::Result, QHeaderView::Stretch);
    m_table->setColumnHidden(TrialRow::Device, true);
    m_table->installEventFilter(this);

    auto* rows = new WholeRows(
        m_table, [header] { return header->height(); }, [rowHeight] { return rowHeight; }, this);
    body()->addWidget(rows, 1);

    for (int column = 0; column < TrialRow::ColumnCount; ++column)
        m_table->setColumnWidth(column, cellPadding);
    growColumns(0, -1);
    connect(m_model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { growColumns(first, last); });
    connect(
        m_model, &QAbstractItemModel::dataChanged, this,
        [this](const QModelIndex& first, const QModelIndex& last) { growColumns(first.row(), last.row()); });
    connect(m_model, &QAbstractItemModel::modelReset, this,
            [this] { growColumns(0, m_model->rowCount() - 1); });
}

void TrialsView::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
}

void TrialsView::display(const engine::Snapshot& snapshot, const MemoryUnit& unit)
{
    // There is room for one of the two beside the words of the results.
    m_table->setColumnHidden(TrialRow::Device, snapshot.devices.size() < 2);
    m_table->setColumnHidden(TrialRow::Took, snapshot.devices.size() >= 2);
    m_model->display(snapshot, unit);
}

void TrialsView::growColumns(int firstRow, int lastRow)
{
    const QFontMetrics bold(scaled(font(), 1.0, QFont::DemiBold));
    for (int column = 0; column < TrialRow::ColumnCount; ++column) {
        if (column == TrialRow::Result)
            continue;
        int needed =
            bold.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        for (int row = firstRow; row <= lastRow; ++row)
            needed = std::max(
                needed, bold.horizontalAdvance(m_model->index(row, column).data(Qt::DisplayRole).toString()));
        if (needed + cellPadding > m_table->columnWidth(column))
            m_table->setColumnWidth(column, needed + cellPadding);
    }
}

bool TrialsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copySelection();
        return true;
    }
    return Card::eventFilter(watched, event);
}

void TrialsView::copySelection() const
{
    std::set<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.insert(index.row());
    QGuiApplication::clipboard()->setText(m_model->asText({rows.begin(), rows.end()}));
}

} // namespace batchpeak::ui

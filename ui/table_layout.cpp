// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_layout.h"

#include "theme/theme.h"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int cellPadding = 12;
// Of a kept width, which may come from another screen: wide enough to be seen and to be dragged back.
constexpr int leastWidth = 20;
constexpr int mostWidth = 400;

/// One, so that the window keeps within 680 px also where the fixed font is a tall one.
constexpr int leastRows = 1;

} // namespace

int applyTableStyle(QTableView& table)
{
    const int rowHeight = table.fontMetrics().height() + 9;
    table.setFrameShape(QFrame::NoFrame);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.setCornerButtonEnabled(false);
    table.setIconSize({13, 13});
    table.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(rowHeight);
    table.verticalHeader()->setDefaultSectionSize(rowHeight);
    auto* header = table.horizontalHeader();
    header->setFont(scaled(table.font(), 1.0, QFont::DemiBold));
    header->setHighlightSections(false);
    header->setSectionsClickable(false);
    header->setFixedHeight(rowHeight + 2);
    return rowHeight;
}

ColumnWidths::ColumnWidths(QTableView* table, int stretched, QStringList names)
    : QObject(table), m_table(table), m_stretched(stretched), m_names(std::move(names))
{
    QHeaderView* header = table->horizontalHeader();
    header->setMinimumSectionSize(leastWidth);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(stretched, QHeaderView::Stretch);
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!m_setting && column != m_stretched)
            m_chosen[column] = width;
    });
    connect(header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
        m_chosen.erase(column);
        setWidth(column, neededWidth(column, 0, m_table->model()->rowCount() - 1));
    });
    const QAbstractItemModel* model = table->model();
    connect(model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { grow(first, last); });
    connect(model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) { grow(first.row(), last.row()); });
    connect(model, &QAbstractItemModel::modelReset, this, &ColumnWidths::growAll);
    connect(model, &QAbstractItemModel::headerDataChanged, this, [this] { grow(0, -1); });
    reset();
}

QVariantMap ColumnWidths::chosen() const
{
    QVariantMap widths;
    for (const auto& [column, width] : m_chosen)
        widths.insert(m_names.at(column), width);
    return widths;
}

void ColumnWidths::setHidden(int column, bool hidden)
{
    if (m_table->isColumnHidden(column) == hidden)
        return;
    // To hide a section is to resize it, as the header says it.
    m_setting = true;
    m_table->setColumnHidden(column, hidden);
    m_setting = false;
    if (!hidden)
        growAll();
}

void ColumnWidths::setChosen(const QVariantMap& widths)
{
    for (int column = 0; column < m_names.size(); ++column) {
        const int width = widths.value(m_names.at(column)).toInt();
        if (column == m_stretched || width <= 0)
            continue;
        m_chosen[column] = std::clamp(width, leastWidth, mostWidth);
        setWidth(column, m_chosen[column]);
    }
}

void ColumnWidths::reset()
{
    m_chosen.clear();
    for (int column = 0; column < m_table->model()->columnCount(); ++column)
        setWidth(column, cellPadding);
    growAll();
}

void ColumnWidths::growAll()
{
    grow(0, m_table->model()->rowCount() - 1);
}

void ColumnWidths::grow(int firstRow, int lastRow)
{
    for (int column = 0; column < m_table->model()->columnCount(); ++column) {
        if (m_chosen.contains(column))
            continue;
        const int needed = neededWidth(column, firstRow, lastRow);
        if (needed > m_table->columnWidth(column))
            setWidth(column, needed);
    }
}

int ColumnWidths::neededWidth(int column, int firstRow, int lastRow) const
{
    const QFontMetrics bold(scaled(m_table->font(), 1.0, QFont::DemiBold));
    const QAbstractItemModel* model = m_table->model();
    int needed = bold.horizontalAdvance(model->headerData(column, Qt::Horizontal).toString());
    for (int row = firstRow; row <= lastRow; ++row)
        needed = std::max(needed, bold.horizontalAdvance(model->index(row, column).data().toString()));
    return needed + cellPadding;
}

void ColumnWidths::setWidth(int column, int width)
{
    if (column == m_stretched)
        return;
    m_setting = true;
    m_table->setColumnWidth(column, width);
    m_setting = false;
}

WholeRows::WholeRows(QWidget* list, std::function<int()> besides, std::function<int()> rowHeight,
                     QWidget* parent)
    : QWidget(parent), m_list(list), m_besides(std::move(besides)), m_rowHeight(std::move(rowHeight))
{
    m_list->setParent(this);
    setFocusProxy(m_list);
}

QSize WholeRows::minimumSizeHint() const
{
    return {120, m_besides() + leastRows * m_rowHeight()};
}

QSize WholeRows::sizeHint() const
{
    return minimumSizeHint();
}

void WholeRows::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int row = std::max(1, m_rowHeight());
    const int rows = std::max(1, (height() - m_besides()) / row);
    m_list->setGeometry(0, 0, width(), m_besides() + rows * row);
}

} // namespace batchpeak::ui

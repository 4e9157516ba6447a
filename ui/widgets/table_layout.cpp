// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_layout.h"

#include "theme/theme.h"

#include <QHeaderView>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int cellPadding = 12;
// Left padding in a tree, which has the branch indicator before the text.
constexpr int treePadding = 8;
// Limits of a stored width, which may be from another screen: wide enough to be visible and to be dragged
// back.
constexpr int minWidth = 20;
constexpr int maxWidth = 400;

constexpr QSize oneSign{13, 13};
constexpr QSize twoSigns{28, 13};
constexpr int treeIndentation = 12;
/// Width of the sort arrow before the title of a tree's column.
constexpr int sortSignWidth = 20;

/// One, so that it fits a window of 900 x 600 even if the fixed font is tall.
constexpr int minRows = 1;

int rowHeightOf(const QAbstractItemView& list)
{
    return list.fontMetrics().height() + 9;
}

void applyListStyle(QAbstractItemView& list)
{
    list.setFrameShape(QFrame::NoFrame);
    list.setAlternatingRowColors(true);
    list.setSelectionBehavior(QAbstractItemView::SelectRows);
    list.setSelectionMode(QAbstractItemView::ExtendedSelection);
    list.setEditTriggers(QAbstractItemView::NoEditTriggers);
    list.setTabKeyNavigation(false);
    list.setIconSize(oneSign);
    list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void applyHeaderStyle(QHeaderView& header, int rowHeight)
{
    header.setFont(scaled(header.parentWidget()->font(), 1.0, QFont::DemiBold));
    header.setHighlightSections(false);
    header.setFixedHeight(rowHeight + 2);
}

/// A tree gets the height of its rows from its delegate, since it has no vertical header.
class RowHeight : public QStyledItemDelegate
{
public:
    RowHeight(int height, QObject* parent) : QStyledItemDelegate(parent), m_height(height) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), m_height};
    }

private:
    int m_height;
};

} // namespace

int applyTableStyle(QTableView& table)
{
    const int rowHeight = rowHeightOf(table);
    applyListStyle(table);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setCornerButtonEnabled(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(rowHeight);
    table.verticalHeader()->setDefaultSectionSize(rowHeight);
    applyHeaderStyle(*table.horizontalHeader(), rowHeight);
    table.horizontalHeader()->setSectionsClickable(false);
    return rowHeight;
}

int applyTableStyle(QTreeView& table)
{
    const int rowHeight = rowHeightOf(table);
    applyListStyle(table);
    table.setIconSize(twoSigns);
    table.setUniformRowHeights(true);
    table.setIndentation(treeIndentation);
    table.setItemDelegate(new RowHeight(rowHeight, &table));
    table.header()->setStretchLastSection(false);
    table.header()->setSectionsMovable(false);
    applyHeaderStyle(*table.header(), rowHeight);
    table.header()->setSectionsClickable(true);
    return rowHeight;
}

ColumnWidths::ColumnWidths(QAbstractItemView* table, QHeaderView* header, int stretched, QStringList names)
    : QObject(table), m_table(table), m_header(header), m_stretched(stretched), m_names(std::move(names))
{
    header->setMinimumSectionSize(minWidth);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(stretched, QHeaderView::Stretch);
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!m_setting && column != m_stretched)
            m_chosen[column] = width;
    });
    connect(header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
        m_chosen.erase(column);
        setWidth(column, neededWidth(column));
    });
    const QAbstractItemModel* rows = table->model();
    connect(rows, &QAbstractItemModel::rowsInserted, this, &ColumnWidths::grow);
    connect(rows, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) {
                grow(first.parent(), first.row(), last.row());
            });
    connect(rows, &QAbstractItemModel::modelReset, this, &ColumnWidths::fitAll);
    connect(rows, &QAbstractItemModel::headerDataChanged, this, [this] { grow({}, 0, -1); });
    reset();
}

const QAbstractItemModel& ColumnWidths::model() const
{
    return *m_table->model();
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
    if (m_header->isSectionHidden(column) == hidden)
        return;
    // The header emits sectionResized when a section is hidden.
    m_setting = true;
    m_header->setSectionHidden(column, hidden);
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
        m_chosen[column] = std::clamp(width, minWidth, maxWidth);
        setWidth(column, m_chosen[column]);
    }
}

void ColumnWidths::reset()
{
    m_chosen.clear();
    for (int column = 0; column < model().columnCount(); ++column)
        setWidth(column, cellPadding);
    growAll();
}

void ColumnWidths::fitAll()
{
    for (int column = 0; column < model().columnCount(); ++column) {
        if (!m_chosen.contains(column) && !m_header->isSectionHidden(column))
            setWidth(column, neededWidth(column));
    }
}

void ColumnWidths::growAll()
{
    grow({}, 0, model().rowCount() - 1);
}

void ColumnWidths::grow(const QModelIndex& parent, int firstRow, int lastRow)
{
    for (int column = 0; column < model().columnCount(); ++column) {
        if (m_chosen.contains(column))
            continue;
        const int needed = std::max(titleWidth(column), neededWidth(column, parent, firstRow, lastRow));
        if (needed > m_header->sectionSize(column))
            setWidth(column, needed);
    }
}

int ColumnWidths::titleWidth(int column) const
{
    const QFontMetrics bold(scaled(m_table->font(), 1.0, QFont::DemiBold));
    const bool isSorted = model().headerData(column, Qt::Horizontal, Qt::DecorationRole).isValid();
    const int sign = isSorted ? sortSignWidth : 0;
    return bold.horizontalAdvance(model().headerData(column, Qt::Horizontal).toString()) + sign + cellPadding;
}

/// Returns the width of what precedes a text: a check box, and an icon.
int ColumnWidths::signsWidth(const QModelIndex& index) const
{
    const bool hasTick = index.data(Qt::CheckStateRole).isValid();
    const bool hasSign = index.data(Qt::DecorationRole).isValid();
    if (!hasTick && !hasSign)
        return 0;
    const QStyle* style = m_table->style();
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, m_table) + 1;
    int width = 0;
    if (hasTick)
        width += style->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, m_table) + 2 * margin;
    if (hasSign)
        width += m_table->iconSize().width() + 2 * margin;
    return width;
}

int ColumnWidths::neededWidth(int column, const QModelIndex& parent, int firstRow, int lastRow) const
{
    const QFontMetrics bold(scaled(m_table->font(), 1.0, QFont::DemiBold));
    const auto* tree = qobject_cast<const QTreeView*>(m_table);
    // A tree begins its first column with the branch indicator, indented once for each level.
    const int levels = tree && column == 0 ? (parent.isValid() ? 2 : 1) : 0;
    int needed = 0;
    for (int row = firstRow; row <= lastRow; ++row) {
        const QModelIndex index = model().index(row, column, parent);
        const int beside = levels > 0 ? levels * treeIndentation + treePadding : cellPadding;
        needed =
            std::max(needed, bold.horizontalAdvance(index.data().toString()) + signsWidth(index) + beside);
        const QModelIndex first = index.siblingAtColumn(0);
        if (const int below = model().rowCount(first); below > 0)
            needed = std::max(needed, neededWidth(column, first, 0, below - 1));
    }
    return needed;
}

int ColumnWidths::neededWidth(int column) const
{
    return std::max(titleWidth(column), neededWidth(column, {}, 0, model().rowCount() - 1));
}

void ColumnWidths::setWidth(int column, int width)
{
    if (column == m_stretched)
        return;
    m_setting = true;
    m_header->resizeSection(column, width);
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
    return {120, m_besides() + minRows * m_rowHeight()};
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

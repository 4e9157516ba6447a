// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_model.h"

#include <QFont>

#include <algorithm>
#include <numeric>
#include <utility>

namespace batchpeak::ui {

TableModel::TableModel(QStringList titles, int statusColumn, std::vector<int> quietColumns, QObject* parent)
    : QAbstractTableModel(parent),
      m_titles(std::move(titles)),
      m_statusColumn(statusColumn),
      m_quietColumns(std::move(quietColumns))
{}

void TableModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1),
                         {Qt::ForegroundRole, Qt::DecorationRole});
}

void TableModel::setTitle(int column, const QString& title)
{
    if (m_titles.at(column) == title)
        return;
    m_titles[column] = title;
    emit headerDataChanged(Qt::Horizontal, column, column);
}

void TableModel::showRows(std::vector<TableRow> rows, int identity)
{
    const bool goesOn =
        rows.size() >= m_rows.size() &&
        (m_rows.empty() || rows.back().texts.at(identity) == m_rows.back().texts.at(identity));
    if (!goesOn) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }

    const auto added = static_cast<int>(rows.size() - m_rows.size());
    if (added > 0) {
        beginInsertRows({}, 0, added - 1);
        m_rows.insert(m_rows.begin(), rows.begin(), rows.begin() + added);
        endInsertRows();
    }
    for (int row = added; row < rowCount(); ++row) {
        auto& shown = m_rows[static_cast<std::size_t>(row)];
        auto& wanted = rows[static_cast<std::size_t>(row)];
        if (shown == wanted)
            continue;
        shown = std::move(wanted);
        emit dataChanged(index(row, 0), index(row, columnCount() - 1));
    }
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_titles.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TableRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return row.texts.at(column);
    case Qt::DecorationRole:
        if (column == m_statusColumn && row.glyph)
            return glyphIcon(*row.glyph, colourOf(row.tone, m_theme), m_theme.mutedText);
        return {};
    case Qt::ForegroundRole:
        if (column == m_statusColumn)
            return colourOf(row.tone, m_theme);
        return std::ranges::find(m_quietColumns, column) != m_quietColumns.end() ? m_theme.mutedText
                                                                                 : m_theme.text;
    case Qt::TextAlignmentRole:
        return headerData(column, Qt::Horizontal, role);
    case Qt::FontRole:
        if (row.isBold) {
            QFont font;
            font.setWeight(QFont::DemiBold);
            return font;
        }
        return {};
    case Qt::ToolTipRole:
        return row.toolTip.isEmpty() ? QVariant() : QVariant(row.toolTip);
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == m_statusColumn ? Qt::AlignLeft : Qt::AlignRight));
    return role == Qt::DisplayRole ? QVariant(m_titles.value(section)) : QVariant();
}

QString TableModel::asText(const std::vector<int>& rows) const
{
    std::vector<int> wanted = rows;
    if (wanted.empty()) {
        wanted.resize(m_rows.size());
        std::iota(wanted.begin(), wanted.end(), 0);
    }
    QStringList lines{m_titles.join(QLatin1Char('\t'))};
    for (const int row : wanted)
        lines << m_rows.at(static_cast<std::size_t>(row)).texts.join(QLatin1Char('\t'));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace batchpeak::ui

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_model.h"

#include <utility>

namespace batchpeak::ui {

TableModel::TableModel(TableColumns columns, QObject* parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns))
{}

void TableModel::setTheme(const Theme& theme)
{
    m_columns.theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1),
                         {Qt::ForegroundRole, Qt::DecorationRole});
}

void TableModel::showRows(std::vector<TableRow> rows, int identity)
{
    const bool continues =
        rows.size() >= m_rows.size() &&
        (m_rows.empty() || rows.back().texts.at(identity) == m_rows.back().texts.at(identity));
    if (!continues) {
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
    return parent.isValid() ? 0 : static_cast<int>(m_columns.titles.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    return m_columns.data(m_rows[static_cast<std::size_t>(index.row())], index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return m_columns.headerData(section, orientation, role);
}

QString TableModel::asText() const
{
    QStringList lines{m_columns.titles.join(QLatin1Char('\t'))};
    for (const TableRow& row : m_rows)
        lines << row.texts.join(QLatin1Char('\t'));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace batchpeak::ui

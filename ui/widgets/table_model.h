// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "table_row.h"

#include <QAbstractTableModel>

#include <vector>

namespace batchpeak::ui {

/// A list of rows. A row that is still in progress is updated alone, so that selection and scroll position
/// are kept.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    void setTheme(const Theme& theme);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Returns all rows as tab-separated text, with a header.
    QString asText() const;

protected:
    TableModel(TableColumns columns, QObject* parent);

    /// Shows \p rows; new ones are inserted before the previous ones.
    /// \param identity  the column whose text in the last row distinguishes the rows of one subject from
    ///                  those of another
    void showRows(std::vector<TableRow> rows, int identity);

private:
    TableColumns m_columns;
    std::vector<TableRow> m_rows;
};

} // namespace batchpeak::ui

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/glyphs.h"
#include "theme/theme.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <optional>
#include <vector>

namespace batchpeak::ui {

/// A row as a table shows it. One of its texts tells how things stand, and a sign beside it, so that colour
/// is never the only one to tell.
struct TableRow
{
    QStringList texts;
    std::optional<Glyph> glyph;
    /// Of the sign and the text beside it.
    Tone tone = Tone::Muted;
    bool isBold = false;
    QString toolTip;
    bool operator==(const TableRow&) const = default;
};

/// Rows of texts. A row that goes on changes itself alone, so that selection and scroll position stay where
/// the user left them.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    void setTheme(const Theme& theme);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Tab-separated, with a header; all rows where none is named.
    QString asText(const std::vector<int>& rows = {}) const;

protected:
    /// \param titles        of the columns
    /// \param statusColumn  with the sign; it alone stands at the left
    /// \param quietColumns  in the muted colour
    TableModel(QStringList titles, int statusColumn, std::vector<int> quietColumns, QObject* parent);

    void setTitle(int column, const QString& title);

    /// Shows \p rows; new ones stand before those that were there.
    /// \param identity  the column whose text in the last row tells the rows of one subject from another's
    void showRows(std::vector<TableRow> rows, int identity);

private:
    QStringList m_titles;
    int m_statusColumn;
    std::vector<int> m_quietColumns;
    Theme m_theme = Theme::light();
    std::vector<TableRow> m_rows;
};

} // namespace batchpeak::ui

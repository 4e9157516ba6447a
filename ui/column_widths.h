// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QVariantMap>

#include <map>

class QTableView;

namespace batchpeak::ui {

/// Widths of a table's columns: they grow with their contents and never shrink, so that live numbers do
/// not make them tremble, until a person drags one, which then stays as wide as it was left. A double
/// click on its edge gives it back to its contents. One column takes what is left.
class ColumnWidths : public QObject
{
    Q_OBJECT

public:
    /// \param table      with its model set
    /// \param stretched  the column that takes what is left
    /// \param names      of the columns, under which their widths are kept
    ColumnWidths(QTableView* table, int stretched, QStringList names);

    void setHidden(int column, bool hidden);
    /// The widths [pixels] that a person chose, by the names of the columns.
    QVariantMap chosen() const;
    void setChosen(const QVariantMap& widths);
    /// Gives every column back to its contents.
    void reset();

private:
    void growAll();
    void grow(int firstRow, int lastRow);
    int neededWidth(int column, int firstRow, int lastRow) const;
    void setWidth(int column, int width);

    QTableView* m_table;
    int m_stretched;
    QStringList m_names;
    std::map<int, int> m_chosen;
    /// The present change of a width is our own.
    bool m_setting = false;
};

} // namespace batchpeak::ui

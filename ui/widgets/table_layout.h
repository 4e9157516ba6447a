// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QVariantMap>
#include <QWidget>

#include <functional>
#include <map>

class QAbstractItemModel;
class QAbstractItemView;
class QHeaderView;
class QModelIndex;
class QTableView;
class QTreeView;

namespace batchpeak::ui {

/// Gives a table the look of all tables here: whole rows, no grid, no frame, a header that only names; that
/// of a tree can be clicked. \return the height of its rows [pixels]
int applyTableStyle(QTableView& table);
int applyTableStyle(QTreeView& table);

/// Widths of a table's columns: they grow with their contents and shrink only where all rows are new, so that
/// live numbers do not make them tremble, until a person drags one, which then stays as wide as it was left.
/// A double click on its edge gives it back to its contents. One column takes what is left.
class ColumnWidths : public QObject
{
    Q_OBJECT

public:
    /// \param table      with its model set
    /// \param header     of its columns
    /// \param stretched  the column that takes what is left
    /// \param names      of the columns, under which their widths are kept; without them none is
    ColumnWidths(QAbstractItemView* table, QHeaderView* header, int stretched, QStringList names = {});

    void setHidden(int column, bool hidden);
    /// The widths [pixels] that a person chose, by the names of the columns.
    QVariantMap chosen() const;
    void setChosen(const QVariantMap& widths);
    /// Gives every column back to its contents.
    void reset();

private:
    void growAll();
    void fitAll();
    void grow(const QModelIndex& parent, int firstRow, int lastRow);
    int titleWidth(int column) const;
    int signsWidth(const QModelIndex& index) const;
    /// Of the contents of these rows, and of those below them.
    int neededWidth(int column, const QModelIndex& parent, int firstRow, int lastRow) const;
    int neededWidth(int column) const;
    void setWidth(int column, int width);
    const QAbstractItemModel& model() const;

    QAbstractItemView* m_table;
    QHeaderView* m_header;
    int m_stretched;
    QStringList m_names;
    std::map<int, int> m_chosen;
    /// The present change of a width is our own.
    bool m_setting = false;
};

/// Holds a list and gives it only heights that are whole rows, so that none is cut in half at the
/// bottom; the rest stays empty.
class WholeRows : public QWidget
{
    Q_OBJECT

public:
    /// \param list       taken over
    /// \param besides    pixels that the list needs beside its rows: its header
    /// \param rowHeight  pixels of one row
    WholeRows(QWidget* list, std::function<int()> besides, std::function<int()> rowHeight,
              QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* m_list;
    std::function<int()> m_besides;
    std::function<int()> m_rowHeight;
};

} // namespace batchpeak::ui

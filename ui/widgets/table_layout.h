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

/// Applies the style of all tables here: selection of whole rows, no grid, no frame, a header that cannot be
/// clicked; that of a tree can be.
/// \return the height of its rows [pixels]
int applyTableStyle(QTableView& table);
int applyTableStyle(QTreeView& table);

/// Widths of a table's columns. They grow with their contents and shrink only if all rows are new, so that
/// live numbers do not make them flicker. A column that the user has resized keeps its width; a double click
/// on its edge fits it to its contents again. One column takes the remaining width.
class ColumnWidths : public QObject
{
    Q_OBJECT

public:
    /// \param table      table that already has its model
    /// \param header     header of its columns
    /// \param stretched  the column that takes the remaining width
    /// \param names      names of the columns, under which their widths are stored; if empty, no width is
    ///                   stored
    ColumnWidths(QAbstractItemView* table, QHeaderView* header, int stretched, QStringList names = {});

    void setHidden(int column, bool hidden);
    /// Returns the widths [pixels] that the user chose, by column name.
    QVariantMap chosen() const;
    void setChosen(const QVariantMap& widths);
    /// Fits every column to its contents again.
    void reset();

private:
    void growAll();
    void fitAll();
    void grow(const QModelIndex& parent, int firstRow, int lastRow);
    int titleWidth(int column) const;
    int signsWidth(const QModelIndex& index) const;
    /// Returns the width that the contents of these rows and of their children need.
    int neededWidth(int column, const QModelIndex& parent, int firstRow, int lastRow) const;
    int neededWidth(int column) const;
    void setWidth(int column, int width);
    const QAbstractItemModel& model() const;

    QAbstractItemView* m_table;
    QHeaderView* m_header;
    int m_stretched;
    QStringList m_names;
    std::map<int, int> m_chosen;
    /// Whether the current change of a width is made here, not by the user.
    bool m_setting = false;
};

/// Contains a list and gives it only heights that are whole rows, so that none is cut off at the bottom; the
/// rest stays empty.
class WholeRows : public QWidget
{
    Q_OBJECT

public:
    /// \param list       the widget takes ownership
    /// \param besides    pixels that the list needs besides its rows: its header
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

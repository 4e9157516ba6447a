// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/glyphs.h"
#include "theme/theme.h"

#include <QStringList>
#include <QVariant>

#include <optional>
#include <vector>

namespace batchpeak::ui {

/// A row as a table shows it. One of its texts tells how things stand, and a sign beside it, so that color
/// is never the only one to tell.
struct TableRow
{
    QStringList texts;
    std::optional<Glyph> glyph;
    /// Of the sign and the text beside it.
    Tone tone = Tone::Muted;
    /// What the row is whatever its state: a sign in green or amber before the other.
    std::optional<Glyph> mark;
    Tone markTone = Tone::Good;
    bool isBold = false;
    /// All of its texts in the muted color.
    bool isPale = false;
    QString toolTip;
    bool operator==(const TableRow&) const = default;
};

/// What the columns of a table have in common, whether its rows form a list or a tree: their titles, and how
/// a row appears in them.
struct TableColumns
{
    QStringList titles;
    /// With the sign; it alone stands at the left.
    int status = 0;
    /// In the muted color.
    std::vector<int> quiet;
    Theme theme = Theme::light();

    /// As QAbstractItemModel::data().
    QVariant data(const TableRow& row, int column, int role) const;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const;
};

} // namespace batchpeak::ui

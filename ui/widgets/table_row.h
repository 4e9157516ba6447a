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

/// A row of a table. One of its texts is the status, and has an icon beside it, so that color is never the
/// only difference.
struct TableRow
{
    QStringList texts;
    std::optional<Glyph> glyph;
    /// Tone of the icon and the text beside it.
    Tone tone = Tone::Muted;
    /// An icon before the other one, in green or amber, for what the row is whatever its status.
    std::optional<Glyph> mark;
    Tone markTone = Tone::Good;
    bool isBold = false;
    /// Whether its texts are in the muted color; the status text keeps the color of its tone.
    bool isPale = false;
    QString toolTip;
    bool operator==(const TableRow&) const = default;
};

/// What the columns of a table have in common, whether its rows form a list or a tree: their titles, and how
/// a row is shown in them.
struct TableColumns
{
    QStringList titles;
    /// The column with the icon, the only one that is left-aligned.
    int status = 0;
    /// The columns in the muted color.
    std::vector<int> quiet;
    Theme theme = Theme::light();

    /// Does the same as QAbstractItemModel::data().
    QVariant data(const TableRow& row, int column, int role) const;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const;
};

} // namespace batchpeak::ui

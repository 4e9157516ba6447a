// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_row.h"

#include "plain_text.h"

#include <QFont>

#include <algorithm>

namespace batchpeak::ui {

namespace {

QVariant iconOf(const TableRow& row, const Theme& theme)
{
    if (!row.glyph)
        return {};
    const QColor color = colorOf(row.tone, theme);
    if (!row.mark)
        return glyphIcon(*row.glyph, color, theme.mutedText);
    return glyphIcon(*row.mark, colorOf(row.markTone, theme), *row.glyph, color);
}

} // namespace

QVariant TableColumns::data(const TableRow& row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return row.texts.at(column);
    case Qt::DecorationRole:
        return column == status ? iconOf(row, theme) : QVariant();
    case Qt::ForegroundRole:
        if (column == status)
            return colorOf(row.tone, theme);
        return row.isPale || std::ranges::find(quiet, column) != quiet.end() ? theme.mutedText : theme.text;
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
        return row.toolTip.isEmpty() ? QVariant() : QVariant(plainToolTip(row.toolTip));
    default:
        return {};
    }
}

QVariant TableColumns::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == status ? Qt::AlignLeft : Qt::AlignRight));
    return role == Qt::DisplayRole ? QVariant(titles.value(section)) : QVariant();
}

} // namespace batchpeak::ui

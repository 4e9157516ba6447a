// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_order.h"

#include "theme/glyphs.h"
#include "trials_model.h"

namespace batchpeak::ui {

namespace {

// Small enough to be before a title without looking like a state of the rows below.
constexpr int signSide = 8;

} // namespace

TrialsOrder::TrialsOrder(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(TrialsModel::SortRole);
}

void TrialsOrder::setTheme(const Theme& theme)
{
    m_theme = theme;
    emit headerDataChanged(Qt::Horizontal, 0, TrialsModel::columns - 1);
}

void TrialsOrder::sort(int column, Qt::SortOrder order)
{
    QSortFilterProxyModel::sort(column, order);
    emit headerDataChanged(Qt::Horizontal, 0, TrialsModel::columns - 1);
}

QVariant TrialsOrder::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::DecorationRole && section == sortColumn())
        return paddedGlyphIcon(sortOrder() == Qt::AscendingOrder ? Glyph::Up : Glyph::Down, m_theme.mutedText,
                               signSide);
    return QSortFilterProxyModel::headerData(section, orientation, role);
}

bool TrialsOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    // An item that is first in either direction is the lesser one in one direction, the greater one in the
    // other.
    const auto standsFirst = [this](bool leftFirst) {
        return sortOrder() == Qt::AscendingOrder ? leftFirst : !leftFirst;
    };
    const auto isNewer = [&] {
        return left.data(TrialsModel::TrialRole).toInt() > right.data(TrialsModel::TrialRole).toInt();
    };
    if (left.parent().isValid())
        return standsFirst(isNewer());
    const QVariant one = left.data(TrialsModel::SortRole);
    const QVariant other = right.data(TrialsModel::SortRole);
    if (one.isValid() != other.isValid())
        return standsFirst(one.isValid());
    if (one == other)
        return standsFirst(isNewer());
    return QSortFilterProxyModel::lessThan(left, right);
}

} // namespace batchpeak::ui

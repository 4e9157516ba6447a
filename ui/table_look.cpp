// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_look.h"

#include "fonts.h"

#include <QHeaderView>
#include <QTableView>

namespace batchpeak::ui {

int makePlain(QTableView& table)
{
    const int rowHeight = table.fontMetrics().height() + 9;
    table.setFrameShape(QFrame::NoFrame);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.setCornerButtonEnabled(false);
    table.setIconSize({13, 13});
    table.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(rowHeight);
    table.verticalHeader()->setDefaultSectionSize(rowHeight);
    auto* header = table.horizontalHeader();
    header->setFont(scaled(table.font(), 1.0, QFont::DemiBold));
    header->setHighlightSections(false);
    header->setSectionsClickable(false);
    header->setFixedHeight(rowHeight + 2);
    return rowHeight;
}

} // namespace batchpeak::ui

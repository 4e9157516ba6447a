// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "whole_rows.h"

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

/// One, so that the window keeps within 680 px also where the fixed font is a tall one.
constexpr int leastRows = 1;

} // namespace

WholeRows::WholeRows(QWidget* list, std::function<int()> besides, std::function<int()> rowHeight,
                     QWidget* parent)
    : QWidget(parent), m_list(list), m_besides(std::move(besides)), m_rowHeight(std::move(rowHeight))
{
    m_list->setParent(this);
    setFocusProxy(m_list);
}

QSize WholeRows::minimumSizeHint() const
{
    return {120, m_besides() + leastRows * m_rowHeight()};
}

QSize WholeRows::sizeHint() const
{
    return minimumSizeHint();
}

void WholeRows::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int row = std::max(1, m_rowHeight());
    const int rows = std::max(1, (height() - m_besides()) / row);
    m_list->setGeometry(0, 0, width(), m_besides() + rows * row);
}

} // namespace batchpeak::ui

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"

#include <QPointF>
#include <QStringList>

#include <functional>
#include <vector>

namespace batchpeak::ui {

/// The box that describes the hovered point. It is placed beside the point where it covers least of the data.
class Callout : public ChartOverlay
{
    Q_OBJECT

public:
    explicit Callout(PlotCanvas* canvas);

    /// \param lines      lines of text; the first is bold if there are more
    /// \param anchor     the point that the box describes, in pixels of the canvas
    /// \param obstacles  returns what the box should not cover; called on each paint
    void showAt(const QPointF& anchor, const QStringList& lines,
                std::function<std::vector<QRectF>()> obstacles);
    void hideCallout();

    /// Returns the position of the box; empty while it is hidden.
    QRectF box() const;

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    QFont fontOf(qsizetype line) const;
    QSizeF sizeOfBox() const;

    QPointF m_anchor;
    QStringList m_lines;
    std::function<std::vector<QRectF>()> m_obstacles;
};

} // namespace batchpeak::ui

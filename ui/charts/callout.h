// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"

#include <QPointF>
#include <QStringList>

#include <functional>
#include <vector>

namespace batchpeak::ui {

/// The box that names the hovered point: placed beside it where it hides least of the data.
class Callout : public ChartOverlay
{
    Q_OBJECT

public:
    explicit Callout(PlotCanvas* canvas);

    /// \param lines      the first is set bold where there are more
    /// \param anchor     the point that the box names, in pixels of the canvas
    /// \param obstacles  tells what it should not hide, asked whenever it is painted
    void showAt(const QPointF& anchor, const QStringList& lines,
                std::function<std::vector<QRectF>()> obstacles);
    void hideCallout();

    /// Where it stands; empty while hidden.
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

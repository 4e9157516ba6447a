// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"
#include "theme/theme.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::ui {

class Callout;
class PlotCanvas;

/// What every chart is: a plot over places of one axis, micro-batch sizes or steps, whose margins and hovered
/// place are given to it, so that several of them stay in step. The pointer and the arrow keys choose a
/// place.
///
/// Derived classes draw, and say what there is at a place. Qt Charts stays behind this header.
class PlotWidget : public QWidget
{
    Q_OBJECT

public:
    explicit PlotWidget(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setHoveredPlace(std::optional<std::int64_t> place);
    void setSideMargins(int left, int right);
    int neededLeftMargin() const;
    void setAxisTitle(const QString& title);

    /// In pixels of this widget.
    QPointF positionOf(double place, double value) const;
    QRectF plotArea() const;
    /// Where the callout stands, in pixels of this widget; empty while nothing is hovered.
    QRectF calloutBox() const;
    /// The texts of both axes as they are drawn, cut short or not.
    QStringList tickLabels() const;
    /// Middles of the labels of the places, in pixels of this widget, in their order.
    std::vector<double> axisLabelCenters() const;

signals:
    /// The pointer, or the arrow keys, chose a place; nothing when it left the plot.
    void placePointedAt(std::optional<std::int64_t> place);
    void geometryChanged();

protected:
    /// Draws what there is; called whenever that, the theme or the range is new.
    virtual void drawScene() = 0;
    /// Those that can be hovered, ascending.
    virtual std::vector<std::int64_t> places() const = 0;
    /// Marks that place, and says in the callout what is there; without one, neither.
    virtual void showHovered(std::optional<std::int64_t> place) = 0;

    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    std::optional<std::int64_t> hoveredPlace() const { return m_hovered; }
    /// Says anew what there is at the hovered place; to be called when what is drawn has changed.
    void updateHover() { showHovered(m_hovered); }
    PlotCanvas& canvas() const { return *m_canvas; }
    Callout& callout() const { return *m_callout; }

private:
    void pointAt(const QPointF& position);

    std::optional<std::int64_t> m_hovered;
    PlotCanvas* m_canvas;
    Callout* m_callout;
};

/// Keeps plots that stand below each other in step: one left margin, one hovered place.
class PlotGroup : public QObject
{
    Q_OBJECT

public:
    PlotGroup(std::vector<PlotWidget*> plots, QObject* parent);

protected:
    /// The right margin of all plots [pixels]; the left one is what the widest labels need.
    void setRightMargin(int pixels);

private:
    void alignMargins();

    std::vector<PlotWidget*> m_plots;
    int m_rightMargin = 0;
};

} // namespace batchpeak::ui

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

/// Base of every chart: a plot over a horizontal axis of micro-batch sizes or steps. Its owner sets the
/// margins and the hovered place, so that several plots stay synchronized. The pointer and the arrow keys
/// choose a place.
///
/// Derived classes draw, and describe what is at a place. Qt Charts is hidden behind this header.
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

    /// Returns a position in pixels of this widget.
    QPointF positionOf(double place, double value) const;
    QRectF plotArea() const;
    /// Returns the rectangle of the callout, in pixels of this widget; empty while nothing is hovered.
    QRectF calloutBox() const;
    /// Returns the labels of both axes as they are drawn, elided or not.
    QStringList tickLabels() const;
    /// Returns the centers of the labels of the places, in pixels of this widget, in their order.
    std::vector<double> axisLabelCenters() const;

signals:
    /// The pointer or the arrow keys chose a place; nothing if the pointer left the plot.
    void placePointedAt(std::optional<std::int64_t> place);
    void geometryChanged();

protected:
    /// Draws the content; called whenever the content, the theme or the range changes.
    virtual void drawScene() = 0;
    /// Returns the places that can be hovered, ascending.
    virtual std::vector<std::int64_t> places() const = 0;
    /// Marks that place and describes it in the callout; without a place, removes both.
    virtual void showHovered(std::optional<std::int64_t> place) = 0;

    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    std::optional<std::int64_t> hoveredPlace() const { return m_hovered; }
    /// Describes the hovered place again; to be called when the drawn content has changed.
    void updateHover() { showHovered(m_hovered); }
    PlotCanvas& canvas() const { return *m_canvas; }
    Callout& callout() const { return *m_callout; }

private:
    void pointAt(const QPointF& position);

    std::optional<std::int64_t> m_hovered;
    PlotCanvas* m_canvas;
    Callout* m_callout;
};

/// Synchronizes plots that are stacked vertically: one left margin, one hovered place.
class PlotGroup : public QObject
{
    Q_OBJECT

public:
    PlotGroup(std::vector<PlotWidget*> plots, QObject* parent);

protected:
    /// Sets the right margin of all plots [pixels]; the widest labels determine the left one.
    void setRightMargin(int pixels);

private:
    void alignMargins();

    std::vector<PlotWidget*> m_plots;
    int m_rightMargin = 0;
};

} // namespace batchpeak::ui

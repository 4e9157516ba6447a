// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scales.h"
#include "theme.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::ui {

class HoverBox;
class MarksOverlay;
class PlotCanvas;
class ZonesOverlay;

/// What both charts are: a plot of some quantity over the micro-batch size, whose size axis, margins and
/// hovered size are given to it, so that two of them stay in step (ChartPair).
///
/// It draws a ChartScene and decides nothing. Qt Charts stays behind this header.
class ChartFrame : public QWidget
{
    Q_OBJECT

public:
    explicit ChartFrame(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setScene(const ChartScene& scene, const SizeRange& range, bool logarithmic);
    void setHoveredSize(std::optional<std::int64_t> size);
    void setSideMargins(int left, int right);
    int neededLeftMargin() const;
    void setSizeTitle(const QString& title);

    /// In pixels of this widget.
    QPointF positionOf(double size, double value) const;
    QRectF plotArea() const;
    /// Empty while nothing is hovered.
    QRectF hoverBox() const;
    /// The texts of both axes as they are drawn, cut short or not.
    QStringList tickLabels() const;
    /// Middles of the size labels, in pixels of this widget, in the order of their sizes.
    std::vector<double> sizeLabelCentres() const;

signals:
    /// The pointer, or the arrow keys, chose a measured size; nothing when it left the plot.
    void sizePointedAt(std::optional<std::int64_t> size);
    void geometryChanged();

protected:
    /// Draws m_scene; called whenever it, the theme or the range is new.
    virtual void drawScene() = 0;
    /// What the hover box says of a point, and the value at which the point lies.
    virtual QStringList hoverLines(const MeasuredPoint& point) const = 0;
    virtual double valueOf(const MeasuredPoint& point) const = 0;

    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    const ChartScene& scene() const { return m_scene; }
    const SizeRange& sizeRange() const { return m_range; }
    bool isLogarithmic() const { return m_isLogarithmic; }
    PlotCanvas& canvas() const { return *m_canvas; }
    MarksOverlay& marks() const { return *m_marks; }
    ZonesOverlay& zones() const { return *m_zones; }

private:
    void pointAt(const QPointF& position);
    void updateHover();
    const MeasuredPoint* newestOf(std::int64_t size) const;
    std::vector<std::int64_t> measuredSizes() const;

    ChartScene m_scene;
    SizeRange m_range;
    bool m_isLogarithmic = true;
    std::optional<std::int64_t> m_hovered;
    PlotCanvas* m_canvas;
    ZonesOverlay* m_zones;
    MarksOverlay* m_marks;
    HoverBox* m_hoverBox;
};

} // namespace batchpeak::ui

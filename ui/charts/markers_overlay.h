// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"

#include <QColor>
#include <QList>
#include <QPixmap>
#include <QPointF>
#include <QString>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace batchpeak::ui {

/// All that marks a size in a chart, in the order in which it must lie: the ground of the selected size, the
/// lines of the hovered and the leading size, intervals, what trials say together, joints, rings, crosses,
/// the leading dot, the halo of the selected size, the running marker, labels. What lies beyond the shown
/// part of the axes is left out.
class MarkersOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    struct Ring
    {
        enum class Shape {
            Circle,
            /// Measured in turn with others.
            Diamond
        };
        double size = 1.0;
        double value = 0.0;
        /// Half of the interval; 0 without one.
        double half = 0.0;
        QColor color;
        /// Replaced by a later trial of the same size: still drawn, but paler.
        bool superseded = false;
        Shape shape = Shape::Circle;
        /// To the right [pixels], so that comparisons of one size do not lie on each other.
        double shift = 0.0;
        bool operator==(const Ring&) const = default;
    };
    /// What all trials of a size say together, where a ring says what one of them does.
    struct Reckoned
    {
        double size = 1.0;
        double value = 0.0;
        /// Half of the interval; 0 without one.
        double half = 0.0;
        QColor color;
        bool operator==(const Reckoned&) const = default;
    };
    /// Joins what was compared, by its sizes and values.
    struct Joint
    {
        QList<QPointF> points;
        bool superseded = false;
        double shift = 0.0;
        bool operator==(const Joint&) const = default;
    };
    struct Cross
    {
        double size = 1.0;
        QColor color;
        bool operator==(const Cross&) const = default;
    };
    struct Lead
    {
        double size = 1.0;
        double value = 0.0;
        QColor color;
        QString label;
        bool operator==(const Lead&) const = default;
    };
    struct Markers
    {
        std::vector<Ring> rings;
        std::vector<Reckoned> reckoned;
        std::vector<Joint> joints;
        std::vector<Cross> crosses;
        /// Where crosses stand; without it, at the bottom.
        std::optional<double> crossValue;
        std::optional<Lead> lead;
        std::vector<double> running;
        /// First size beyond memory, its label, and a shorter one for a narrow zone; 0 without a label.
        double wall = 0.0;
        QString wallLabel;
        QString wallShortLabel;
        /// Said in the middle while there is no ring.
        QString emptyText;
        bool operator==(const Markers&) const = default;
    };

    explicit MarkersOverlay(PlotCanvas* canvas);

    void setMarkers(Markers markers);
    void setHoveredSize(std::optional<double> size);
    void setSelectedSize(std::optional<double> size);
    /// The labels as last laid out, so that other things can keep off them.
    std::vector<QRectF> labelBoxes() const;

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    struct Label
    {
        QRectF box;
        QString text;
        QColor color;
    };

    std::vector<Label> labels() const;
    QPointF centerOf(const Ring& ring) const;
    const QPixmap& stampOf(Ring::Shape shape, const QColor& color, double pixelRatio) const;
    void paintSelectedGround(QPainter& painter) const;
    void paintHalo(QPainter& painter) const;
    void paintLines(QPainter& painter) const;
    QColor colorAt(double size, const QColor& color) const;
    void paintInterval(QPainter& painter, const Reckoned& interval, double x) const;
    void paintIntervals(QPainter& painter) const;
    void paintReckoned(QPainter& painter) const;
    void paintJoints(QPainter& painter) const;
    void paintRings(QPainter& painter) const;
    void paintCrosses(QPainter& painter) const;
    void paintLead(QPainter& painter) const;
    void paintRunning(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;

    Markers m_markers;
    std::optional<double> m_hoveredSize;
    std::optional<double> m_selectedSize;
    /// Rings as they look, by shape, color, ground and pixels: to draw hundreds of them takes most of a
    /// picture's time.
    mutable std::map<std::tuple<int, QRgb, QRgb, double>, QPixmap> m_stamps;
};

} // namespace batchpeak::ui

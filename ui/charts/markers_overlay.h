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

/// All that marks a size in a chart, in the order in which it must be painted: the ground of the selected
/// size, the lines of the hovered and the leading size, intervals, estimates from all trials, joints, rings,
/// crosses, the leading dot, the halo of the selected size, the running marker, labels. Whatever is outside
/// of the shown part of the axes is omitted.
class MarkersOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    struct Ring
    {
        enum class Shape {
            Circle,
            /// The size was measured interleaved with others.
            Diamond
        };
        double size = 1.0;
        double value = 0.0;
        /// Half of the interval; 0 if there is none.
        double half = 0.0;
        QColor color;
        /// Whether a later trial of the same size replaces it: it is still drawn, but paler.
        bool superseded = false;
        Shape shape = Shape::Circle;
        /// Shift to the right [pixels], so that comparisons of one size do not overlap.
        double shift = 0.0;
        bool operator==(const Ring&) const = default;
    };
    /// Estimate from all trials of a size; a ring shows a single trial.
    struct Reckoned
    {
        double size = 1.0;
        double value = 0.0;
        /// Half of the interval; 0 if there is none.
        double half = 0.0;
        QColor color;
        bool operator==(const Reckoned&) const = default;
    };
    /// Line that joins the compared sizes, by their sizes and values.
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
        /// Value at which crosses are drawn; if empty, they are at the bottom.
        std::optional<double> crossValue;
        std::optional<Lead> lead;
        std::vector<double> running;
        /// First size beyond memory, its label, and a shorter label for a narrow zone; 0 if there is no
        /// label.
        double wall = 0.0;
        QString wallLabel;
        QString wallShortLabel;
        /// Text in the middle while there is no ring.
        QString emptyText;
        bool operator==(const Markers&) const = default;
    };

    explicit MarkersOverlay(PlotCanvas* canvas);

    void setMarkers(Markers markers);
    void setHoveredSize(std::optional<double> size);
    void setSelectedSize(std::optional<double> size);
    /// Returns the labels as last laid out, so that other items can avoid them.
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
    /// Rendered rings, by shape, color, ground and pixel ratio: drawing hundreds of them takes most of the
    /// time of a paint.
    mutable std::map<std::tuple<int, QRgb, QRgb, double>, QPixmap> m_stamps;
};

} // namespace batchpeak::ui

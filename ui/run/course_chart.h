// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

#include <vector>

namespace batchpeak::ui {

/// The confidence of an exploration over time, and the size that it applies to: a step line, with the size
/// written where it changes, and above it the target confidence.
class CourseChart : public QWidget
{
    Q_OBJECT

public:
    explicit CourseChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param awaitsSearch  whether the state of the search has yet to be recomputed from the history
    void display(const engine::Snapshot& snapshot, bool awaitsSearch = false);

    /// Returns the text that is shown if nothing is drawn.
    QString emptyText() const { return m_points.empty() ? m_noCourse : QString(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF plotArea() const;
    QPointF positionOf(double seconds, double percent) const;
    void paintScale(QPainter& painter) const;
    void paintCourse(QPainter& painter) const;
    void paintSizes(QPainter& painter) const;
    /// Returns what was known at a position of the chart; empty before the first recommendation.
    QString textAt(double x) const;

    Theme m_theme = Theme::light();
    /// Points with a recommendation.
    std::vector<engine::CoursePoint> m_points;
    /// Text that is shown if there are no points.
    QString m_noCourse;
    double m_elapsedSeconds = 0.0;
    double m_targetPercent = 95.0;
};

} // namespace batchpeak::ui

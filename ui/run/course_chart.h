// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

#include <vector>

namespace batchpeak::ui {

/// How sure an exploration was in the course of time, and of which size: a line in steps, with the size
/// written where it changes, below the confidence that was asked for.
class CourseChart : public QWidget
{
    Q_OBJECT

public:
    explicit CourseChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param awaitsSearch  what the search knew is still to be made out of the history
    void display(const engine::Snapshot& snapshot, bool awaitsSearch = false);

    /// What is said where nothing is drawn.
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
    /// What was known at a place of the chart; empty before the first recommendation.
    QString textAt(double x) const;

    Theme m_theme = Theme::light();
    /// Those with a recommendation.
    std::vector<engine::CoursePoint> m_points;
    /// What is said where there are none.
    QString m_noCourse;
    double m_elapsedSeconds = 0.0;
    double m_targetPercent = 95.0;
};

} // namespace batchpeak::ui

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"
#include "theme/glyphs.h"
#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// A value at a step of a training run; steps count from 1.
struct StepValue
{
    std::int64_t step = 0;
    double value = 0.0;
    bool operator==(const StepValue&) const = default;
};

/// What one chart of a training run shows, and nothing else: as long as two plots are equal there is nothing
/// to draw. Every value is a finite number, and every size at least 1.
///
/// All steps are in it; how many of them a chart can draw is for the chart.
struct RunPlot
{
    /// What the values are: how they are written, and what their axis is.
    enum class Quantity { Loss, Rate, Size };
    /// How a series is drawn, so that its color is never the only one to tell; the dashed line and what is
    /// predicted stand back.
    enum class Look { Line, DashedLine, Stairs, DashedStairs, Predicted, Dots };
    struct Series
    {
        QString name;
        Look look = Look::Line;
        QColor Theme::*hue = &Theme::throughput;
        /// Of an earlier run, which of the patterns it has, from 0 to below maxComparedRuns; it is drawn
        /// under what the present run has.
        std::optional<int> pattern = std::nullopt;
        /// Behind its name in the legend; empty for nothing.
        QString remark = {};
        /// Ascending in their steps.
        std::vector<StepValue> values;
        bool operator==(const Series&) const = default;
        std::optional<double> valueAt(std::int64_t step) const;
    };
    /// Something that happened at a step.
    struct Marker
    {
        std::int64_t step = 0;
        double value = 0.0;
        Glyph glyph = Glyph::Cross;
        Tone tone = Tone::Bad;
        /// The word of the legend, and what is said of this one.
        QString word;
        QString text;
        bool operator==(const Marker&) const = default;
    };

    Quantity quantity = Quantity::Loss;
    std::vector<Series> series;
    std::vector<Marker> markers;

    bool operator==(const RunPlot&) const = default;
};

/// More lines than that nobody tells apart.
inline constexpr int maxComparedRuns = 6;

/// A run that ended before the present one, and is shown beneath it.
struct ComparedRun
{
    /// "run 2"
    QString name;
    /// From 0 to below maxComparedRuns; it keeps it as long as it is shown, so that it can be followed.
    int pattern = 0;
    std::shared_ptr<const training::TrainingSnapshot> snapshot;
};

/// How the dashes of a series follow each other, in widths of its pen; empty where it is one stroke.
QList<qreal> dashesOf(const RunPlot::Series& series);
/// Of its pen [pixels].
double penWidthOf(const RunPlot::Series& series);

/// Loss of the training steps and of the evaluations, named by whether they see held-out samples; the step
/// from which it is no number any more is marked.
RunPlot lossPlot(const training::TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier = {});
/// Samples per second of each training step, what an exploration predicted for it, and their mean over the
/// run, which makes room where earlier runs are shown.
RunPlot ratePlot(const training::TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier = {});
/// Batch size of each training step and largest micro-batch in it; sizes that ran out of memory or thrashed,
/// and growth that was ignored, are marked. Of earlier runs, the micro-batch.
RunPlot schedulePlot(const training::TrainingSnapshot& snapshot,
                     const std::vector<ComparedRun>& earlier = {});

/// The steps that all charts of a run, and of those before it, span.
AxisRange stepRangeOf(const training::TrainingSnapshot& snapshot,
                      const std::vector<ComparedRun>& earlier = {});

/// "1.3 % slower", "0.2 % faster", "as fast" where the difference is below a twentieth of a percent.
/// \param difference  relative; below 0 for slower
QString differenceText(double difference);

/// A value in words: "2.413", "1,204 samples/s", "64".
QString valueText(RunPlot::Quantity quantity, double value);
/// What is known of a step: its number, then a line for each value and each marker, and those of earlier runs
/// by their names, some in a line, at the end.
QStringList linesAt(const RunPlot& plot, std::int64_t step);
/// What a chart shows, in sentences, for those who do not see it.
QString runPlotSummary(const RunPlot& plot);

/// At most two values for each of so many columns, the smallest and the largest of those within, in the order
/// of their steps, and the newest of all: as many as can be told apart on a screen. A mean would hide a
/// spike. \param columns  at least 1
std::vector<StepValue> thinned(const std::vector<StepValue>& values, int columns);
/// The corners of the stairs on which each value holds until the next step that has another one.
std::vector<StepValue> stairsOf(const std::vector<StepValue>& values);

} // namespace batchpeak::ui

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

/// What one chart of a training run shows, and nothing else: while two plots are equal there is nothing to
/// draw. Every value is finite, and every size at least 1.
///
/// The plot has all steps; the chart decides how many of them it draws.
struct RunPlot
{
    /// Kind of the values, which determines their format and their axis.
    enum class Quantity { Loss, Rate, Size };
    /// How a series is drawn, so that color is never the only difference; the dashed line and predictions are
    /// less prominent.
    enum class Look { Line, DashedLine, Stairs, DashedStairs, Predicted, Dots };
    struct Series
    {
        QString name;
        Look look = Look::Line;
        QColor Theme::*hue = &Theme::throughput;
        /// For a series of an earlier run: index of its dash pattern, from 0 to below maxComparedRuns. It is
        /// drawn beneath the series of the present run.
        std::optional<int> pattern = std::nullopt;
        /// Text after its name in the legend; empty for none.
        QString remark = {};
        /// Values in ascending order of their steps.
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
        /// Word in the legend, and text about this marker.
        QString word;
        QString text;
        bool operator==(const Marker&) const = default;
    };

    Quantity quantity = Quantity::Loss;
    std::vector<Series> series;
    std::vector<Marker> markers;

    bool operator==(const RunPlot&) const = default;
};

/// Largest number of lines that can be told apart.
inline constexpr int maxComparedRuns = 6;

/// A run that ended before the present one, and is drawn beneath it.
struct ComparedRun
{
    /// "run 2"
    QString name;
    /// Index from 0 to below maxComparedRuns; a run keeps it as long as it is shown, so that it can be
    /// recognized.
    int pattern = 0;
    std::shared_ptr<const training::TrainingSnapshot> snapshot;
};

/// Returns the dash pattern of a series, in widths of its pen; empty for a solid line.
QList<qreal> dashesOf(const RunPlot::Series& series);
/// Returns the width of its pen [pixels].
double penWidthOf(const RunPlot::Series& series);

/// Loss of the training steps and of the evaluations. Evaluations are named by whether they see held-out
/// samples. The step from which the loss is not finite any more is marked.
RunPlot lossPlot(const training::TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier = {});
/// Samples per second of each training step, the prediction of an exploration, and the mean over the run,
/// which is omitted if earlier runs are shown.
RunPlot ratePlot(const training::TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier = {});
/// Batch size of each training step and the largest micro-batch in it. Sizes that ran out of memory or
/// thrashed, and growth that was ignored, are marked. Of earlier runs, only the micro-batch is shown.
RunPlot schedulePlot(const training::TrainingSnapshot& snapshot,
                     const std::vector<ComparedRun>& earlier = {});

/// Returns the range of steps that all charts of a run, and of the earlier ones, span.
AxisRange stepRangeOf(const training::TrainingSnapshot& snapshot,
                      const std::vector<ComparedRun>& earlier = {});

/// Returns "1.3 % slower", "0.2 % faster", or "as fast" if the difference is below 0.05 %.
/// \param difference  relative difference; below 0 for slower
QString differenceText(double difference);

/// Formats a value: "2.413", "1,204 samples/s", "64".
QString valueText(RunPlot::Quantity quantity, double value);
/// Returns what is known of a step: its number, then a line for each value and each marker, and at the end
/// the values of earlier runs with their names, several in a line.
QStringList linesAt(const RunPlot& plot, std::int64_t step);
/// Describes a chart in sentences, for users who cannot see it.
QString runPlotSummary(const RunPlot& plot);

/// Returns at most two values for each of so many columns, the smallest and the largest within the column, in
/// the order of their steps, and always the newest value: as many as can be told apart on a screen. A mean
/// would hide a spike.
/// \param columns  at least 1
std::vector<StepValue> thinned(const std::vector<StepValue>& values, int columns);
/// Returns the corners of a step line on which each value holds until the next step with a different one.
std::vector<StepValue> stairsOf(const std::vector<StepValue>& values);

} // namespace batchpeak::ui

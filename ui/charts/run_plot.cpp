// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_plot.h"

#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

using accumulation::GrowthDecision;
using training::SizeChange;
using training::StepRecord;
using training::TrainingSnapshot;

// Six runs have to fit in a callout over a low chart.
constexpr qsizetype runsInALine = 3;

QString plainValueText(RunPlot::Quantity quantity, double value)
{
    switch (quantity) {
    case RunPlot::Quantity::Loss:
        return engine::lossText(value);
    case RunPlot::Quantity::Rate:
        return engine::rateText(value);
    case RunPlot::Quantity::Size:
        break;
    }
    return engine::numberText(std::llround(value));
}

template<typename Value>
std::vector<StepValue> valuesOf(const std::vector<StepRecord>& records, Value value)
{
    std::vector<StepValue> values;
    values.reserve(records.size());
    for (const StepRecord& record : records) {
        const auto real = static_cast<double>(value(record));
        if (std::isfinite(real))
            values.push_back({record.step, real});
    }
    return values;
}

std::optional<RunPlot::Marker> divergence(const std::vector<StepRecord>& steps)
{
    const auto lost = std::ranges::find_if(steps, [](const auto& step) { return !std::isfinite(step.loss); });
    if (lost == steps.end())
        return std::nullopt;
    return RunPlot::Marker{.step = lost->step,
                           .value = lost == steps.begin() ? 0.0 : std::prev(lost)->loss,
                           .glyph = Glyph::Cross,
                           .tone = Tone::Bad,
                           .word = engine::Translated::tr("diverged"),
                           .text = engine::Translated::tr("NaN from here on")};
}

RunPlot::Marker markerOf(const SizeChange& change)
{
    const bool isOutOfMemory = change.reason == SizeChange::Reason::OutOfMemory;
    return {.step = change.step,
            .value = static_cast<double>(change.from),
            .glyph = isOutOfMemory ? Glyph::Cross : Glyph::Warning,
            .tone = isOutOfMemory ? Tone::Bad : Tone::Warn,
            .word =
                isOutOfMemory ? engine::Translated::tr("out of memory") : engine::Translated::tr("thrashes"),
            .text = (isOutOfMemory ? engine::Translated::tr("%1 ran out of memory, %2 next")
                                   : engine::Translated::tr("%1 thrashed, %2 next"))
                        .arg(valueText(RunPlot::Quantity::Size, static_cast<double>(change.from)),
                             valueText(RunPlot::Quantity::Size, static_cast<double>(change.to)))};
}

std::optional<RunPlot::Marker> markerOf(const training::ScheduleEntry& entry)
{
    const bool passes = entry.decision == GrowthDecision::Kind::PassesMaximum;
    if (!passes && entry.decision != GrowthDecision::Kind::LeavesNothing)
        return std::nullopt;
    const QString increment = engine::numberText(std::abs(entry.increment));
    return RunPlot::Marker{
        .step = entry.step,
        .value = static_cast<double>(entry.microBatchSize),
        .glyph = Glyph::Barred,
        .tone = Tone::Warn,
        .word = engine::Translated::tr("growth ignored"),
        .text = passes ? engine::Translated::tr("+%1 ignored: above the maximum").arg(increment)
                       : engine::Translated::tr("−%1 ignored: nothing would be left").arg(increment)};
}

/// Returns the predictions of the steps that have one.
std::vector<StepValue> predictedValues(const std::vector<StepRecord>& steps)
{
    auto values = valuesOf(steps, [](const StepRecord& record) { return record.predictedSamplesPerSecond; });
    std::erase_if(values, [](const StepValue& value) { return !(value.value > 0.0); });
    return values;
}

template<typename Value>
std::vector<RunPlot::Series> seriesOf(const std::vector<ComparedRun>& runs, RunPlot::Look look, Value value)
{
    std::vector<RunPlot::Series> series;
    series.reserve(runs.size());
    for (const ComparedRun& run : runs)
        series.push_back({.name = run.name,
                          .look = look,
                          .hue = &Theme::mutedText,
                          .pattern = run.pattern,
                          .values = valuesOf(run.snapshot->steps, value)});
    return series;
}

std::vector<StepValue> levelAt(double value, const std::vector<StepRecord>& steps)
{
    if (steps.size() < 2 || !(value > 0.0))
        return {};
    return {{steps.front().step, value}, {steps.back().step, value}};
}

} // namespace

std::optional<double> RunPlot::Series::valueAt(std::int64_t step) const
{
    const auto found = std::ranges::lower_bound(values, step, {}, &StepValue::step);
    return found != values.end() && found->step == step ? std::optional(found->value) : std::nullopt;
}

QList<qreal> dashesOf(const RunPlot::Series& series)
{
    // Patterns that can be told apart in grayscale too, by their rhythm.
    static const std::array<QList<qreal>, maxComparedRuns> patterns{
        {{1.5, 2.5}, {8, 3}, {8, 3, 1.5, 3}, {4, 4}, {14, 4}, {8, 3, 1.5, 3, 1.5, 3}}};
    if (series.pattern)
        return patterns[static_cast<std::size_t>(*series.pattern % maxComparedRuns)];
    switch (series.look) {
    case RunPlot::Look::DashedLine:
    case RunPlot::Look::DashedStairs:
        return {4, 2};
    case RunPlot::Look::Predicted:
        return {7, 5};
    default:
        return {};
    }
}

double penWidthOf(const RunPlot::Series& series)
{
    const bool standsBack =
        series.look == RunPlot::Look::DashedLine || series.look == RunPlot::Look::Predicted;
    return series.pattern ? 1.4 : standsBack ? 1.2 : 2.0;
}

RunPlot lossPlot(const TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier)
{
    const auto loss = [](const StepRecord& record) { return record.loss; };
    RunPlot plot{.quantity = RunPlot::Quantity::Loss};
    plot.series = seriesOf(earlier, RunPlot::Look::Line, loss);
    plot.series.push_back({.name = engine::Translated::tr("training"),
                           .look = RunPlot::Look::Line,
                           .hue = &Theme::loss,
                           .values = valuesOf(snapshot.steps, loss)});
    plot.series.push_back({.name = snapshot.run && snapshot.run->heldOutSamples > 0
                                       ? engine::Translated::tr("held out")
                                       : engine::Translated::tr("evaluation"),
                           .look = RunPlot::Look::Dots,
                           .hue = &Theme::loss,
                           .values = valuesOf(snapshot.evaluations, loss)});
    if (auto marker = divergence(snapshot.steps))
        plot.markers.push_back(std::move(*marker));
    return plot;
}

RunPlot ratePlot(const TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier)
{
    const auto rate = [](const StepRecord& record) { return record.samplesPerSecond; };
    RunPlot plot{.quantity = RunPlot::Quantity::Rate};
    plot.series = seriesOf(earlier, RunPlot::Look::Line, rate);
    plot.series.push_back(
        {.name = engine::Translated::tr("step"),
         .look = RunPlot::Look::Line,
         .hue = &Theme::throughput,
         .remark = snapshot.run ? engine::markLegend(snapshot.run->run.fidelity) : QString(),
         .values = valuesOf(snapshot.steps, rate)});
    plot.series.push_back(
        {.name = engine::Translated::tr("predicted"),
         .look = RunPlot::Look::Predicted,
         .hue = &Theme::throughput,
         .remark =
             snapshot.overPrediction
                 ? engine::Translated::tr("training is %1").arg(differenceText(*snapshot.overPrediction))
                 : QString(),
         .values = predictedValues(snapshot.steps)});
    if (earlier.empty())
        plot.series.push_back({.name = engine::Translated::tr("mean"),
                               .look = RunPlot::Look::DashedLine,
                               .hue = &Theme::mutedText,
                               .values = levelAt(snapshot.samplesPerSecond, snapshot.steps)});
    return plot;
}

RunPlot schedulePlot(const TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier)
{
    const auto microBatch = [](const StepRecord& record) { return record.microBatchSize; };
    RunPlot plot{.quantity = RunPlot::Quantity::Size};
    plot.series = seriesOf(earlier, RunPlot::Look::Stairs, microBatch);
    plot.series.push_back(
        {.name = engine::Translated::tr("batch"),
         .look = RunPlot::Look::Stairs,
         .hue = &Theme::text,
         .values = valuesOf(snapshot.steps, [](const StepRecord& record) { return record.batchSize; })});
    plot.series.push_back({.name = engine::Translated::tr("micro-batch"),
                           .look = RunPlot::Look::DashedStairs,
                           .hue = &Theme::throughput,
                           .values = valuesOf(snapshot.steps, microBatch)});
    for (const SizeChange& change : snapshot.changes) {
        if (change.phase == model::Phase::Train && change.reason != SizeChange::Reason::Growth)
            plot.markers.push_back(markerOf(change));
    }
    for (const auto& entry : snapshot.schedule) {
        if (auto marker = markerOf(entry))
            plot.markers.push_back(std::move(*marker));
    }
    std::erase_if(plot.markers, [](const RunPlot::Marker& marker) { return marker.value < 1.0; });
    return plot;
}

AxisRange stepRangeOf(const TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier)
{
    const auto firstOf = [](const TrainingSnapshot& run) { return run.run ? run.run->firstStep : 0; };
    const auto plannedOf = [](const TrainingSnapshot& run) { return run.run ? run.run->steps : 0; };
    std::int64_t first = firstOf(snapshot);
    std::int64_t last = snapshot.steps.empty() ? first : snapshot.steps.back().step;
    std::int64_t planned = plannedOf(snapshot);
    for (const ComparedRun& run : earlier) {
        const bool isAlone = snapshot.steps.empty() && &run == &earlier.front();
        first = isAlone ? firstOf(*run.snapshot) : std::min(first, firstOf(*run.snapshot));
        last = std::max(last, run.snapshot->lastStep());
        // The axis must reach all completed steps.
        planned = std::max(planned, run.snapshot->lastStep());
    }
    return stepRangeFor(first, last, planned);
}

QString differenceText(double difference)
{
    if (std::abs(difference) < 0.0005)
        return engine::Translated::tr("as fast");
    const QString text = engine::percentText(std::abs(difference));
    return (difference < 0.0 ? engine::Translated::tr("%1 slower") : engine::Translated::tr("%1 faster"))
        .arg(text);
}

QString valueText(RunPlot::Quantity quantity, double value)
{
    const QString text = plainValueText(quantity, value);
    return quantity == RunPlot::Quantity::Rate ? engine::Translated::tr("%1 samples/s").arg(text) : text;
}

QStringList linesAt(const RunPlot& plot, std::int64_t step)
{
    QStringList lines{engine::Translated::tr("step %1").arg(engine::numberText(step))};
    QStringList earlier;
    std::optional<double> achieved;
    for (const auto& series : plot.series) {
        const auto value = series.look == RunPlot::Look::DashedLine ? std::nullopt : series.valueAt(step);
        if (!value)
            continue;
        const QString text = valueText(plot.quantity, *value);
        if (series.pattern)
            earlier << engine::Translated::tr("%1: %2").arg(series.name,
                                                            plainValueText(plot.quantity, *value));
        else if (series.look == RunPlot::Look::Predicted)
            lines << (achieved ? engine::Translated::tr("predicted %1; this is %2")
                                     .arg(plainValueText(plot.quantity, *value),
                                          differenceText(*achieved / *value - 1.0))
                               : engine::Translated::tr("predicted %1").arg(text));
        else if (plot.quantity == RunPlot::Quantity::Rate)
            lines << text;
        else
            lines << QStringLiteral("%1 %2").arg(series.name, text);
        if (!series.pattern && series.look == RunPlot::Look::Line)
            achieved = value;
    }
    for (const auto& marker : plot.markers) {
        if (marker.step == step)
            lines << marker.text;
    }
    for (qsizetype first = 0; first < earlier.size(); first += runsInALine)
        lines << earlier.mid(first, runsInALine).join(QStringLiteral("  ·  "));
    return lines;
}

QString runPlotSummary(const RunPlot& plot)
{
    QStringList sentences;
    for (const auto& series : plot.series) {
        if (series.values.empty() || series.look == RunPlot::Look::DashedLine)
            continue;
        const QString name = series.remark.isEmpty()
                                 ? series.name
                                 : engine::Translated::tr("%1, %2").arg(series.name, series.remark);
        sentences << engine::Translated::tr("%1: %2 at step %3, %4 at step %5.")
                         .arg(name, valueText(plot.quantity, series.values.front().value))
                         .arg(series.values.front().step)
                         .arg(valueText(plot.quantity, series.values.back().value))
                         .arg(series.values.back().step);
    }
    for (const auto& marker : plot.markers)
        sentences << engine::Translated::tr("Step %1: %2.").arg(marker.step).arg(marker.text);
    return sentences.isEmpty() ? engine::Translated::tr("No step is done yet.")
                               : sentences.join(QLatin1Char(' '));
}

std::vector<StepValue> thinned(const std::vector<StepValue>& values, int columns)
{
    if (values.size() <= 2 * static_cast<std::size_t>(columns))
        return values;
    const double first = static_cast<double>(values.front().step);
    const double span = static_cast<double>(values.back().step) - first + 1.0;
    const auto columnOf = [&](const StepValue& value) {
        return static_cast<int>((static_cast<double>(value.step) - first) / span * columns);
    };
    std::vector<StepValue> kept;
    for (auto begin = values.begin(); begin != values.end();) {
        const int column = columnOf(*begin);
        const auto end =
            std::find_if(begin, values.end(), [&](const auto& value) { return columnOf(value) != column; });
        const auto [min, max] = std::minmax_element(
            begin, end, [](const StepValue& a, const StepValue& b) { return a.value < b.value; });
        kept.push_back(*std::min(min, max));
        if (min != max)
            kept.push_back(*std::max(min, max));
        begin = end;
    }
    if (kept.back().step != values.back().step)
        kept.push_back(values.back());
    return kept;
}

std::vector<StepValue> stairsOf(const std::vector<StepValue>& values)
{
    std::vector<StepValue> corners;
    for (const StepValue& value : values) {
        if (!corners.empty() && corners.back().value != value.value)
            corners.push_back({value.step, corners.back().value});
        if (corners.empty() || corners.back().value != value.value)
            corners.push_back(value);
    }
    if (!values.empty() && corners.back().step != values.back().step)
        corners.push_back(values.back());
    return corners;
}

} // namespace batchpeak::ui

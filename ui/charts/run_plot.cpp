// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_plot.h"

#include "engine/readable_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

using accumulation::GrowthDecision;
using training::SizeChange;
using training::StepRecord;
using training::TrainingSnapshot;

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(RunPlot)
};

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
                           .word = Words::tr("diverged"),
                           .text = Words::tr("NaN from here on")};
}

RunPlot::Marker markerOf(const SizeChange& change)
{
    const bool isOutOfMemory = change.reason == SizeChange::Reason::OutOfMemory;
    return {.step = change.step,
            .value = static_cast<double>(change.from),
            .glyph = isOutOfMemory ? Glyph::Cross : Glyph::Warning,
            .tone = isOutOfMemory ? Tone::Bad : Tone::Warn,
            .word = isOutOfMemory ? Words::tr("out of memory") : Words::tr("thrashes"),
            .text = (isOutOfMemory ? Words::tr("%1 ran out of memory, %2 next")
                                   : Words::tr("%1 thrashed, %2 next"))
                        .arg(valueText(RunPlot::Quantity::Size, static_cast<double>(change.from)),
                             valueText(RunPlot::Quantity::Size, static_cast<double>(change.to)))};
}

std::optional<RunPlot::Marker> markerOf(const training::ScheduleEntry& entry)
{
    const bool passes = entry.decision == GrowthDecision::Kind::PassesMaximum;
    if (!passes && entry.decision != GrowthDecision::Kind::LeavesNothing)
        return std::nullopt;
    const QString increment = engine::numberText(std::abs(entry.increment));
    return RunPlot::Marker{.step = entry.step,
                           .value = static_cast<double>(entry.microBatchSize),
                           .glyph = Glyph::Barred,
                           .tone = Tone::Warn,
                           .word = Words::tr("growth ignored"),
                           .text = passes ? Words::tr("+%1 ignored: above the maximum").arg(increment)
                                          : Words::tr("−%1 ignored: nothing would be left").arg(increment)};
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

bool isDashed(RunPlot::Look look)
{
    return look == RunPlot::Look::DashedLine || look == RunPlot::Look::DashedStairs;
}

RunPlot lossPlot(const TrainingSnapshot& snapshot)
{
    const auto loss = [](const StepRecord& record) { return record.loss; };
    RunPlot plot{.quantity = RunPlot::Quantity::Loss};
    plot.series = {{.name = Words::tr("training"),
                    .look = RunPlot::Look::Line,
                    .hue = &Theme::loss,
                    .values = valuesOf(snapshot.steps, loss)},
                   {.name = snapshot.run && snapshot.run->heldOutSamples > 0 ? Words::tr("held out")
                                                                             : Words::tr("evaluation"),
                    .look = RunPlot::Look::Dots,
                    .hue = &Theme::loss,
                    .values = valuesOf(snapshot.evaluations, loss)}};
    if (auto marker = divergence(snapshot.steps))
        plot.markers.push_back(std::move(*marker));
    return plot;
}

RunPlot ratePlot(const TrainingSnapshot& snapshot)
{
    RunPlot plot{.quantity = RunPlot::Quantity::Rate};
    plot.series = {{.name = Words::tr("step"),
                    .look = RunPlot::Look::Line,
                    .hue = &Theme::throughput,
                    .values = valuesOf(snapshot.steps,
                                       [](const StepRecord& record) { return record.samplesPerSecond; })},
                   {.name = Words::tr("mean"),
                    .look = RunPlot::Look::DashedLine,
                    .hue = &Theme::mutedText,
                    .values = levelAt(snapshot.samplesPerSecond, snapshot.steps)}};
    return plot;
}

RunPlot schedulePlot(const TrainingSnapshot& snapshot)
{
    RunPlot plot{.quantity = RunPlot::Quantity::Size};
    plot.series = {
        {.name = Words::tr("batch"),
         .look = RunPlot::Look::Stairs,
         .hue = &Theme::text,
         .values = valuesOf(snapshot.steps, [](const StepRecord& record) { return record.batchSize; })},
        {.name = Words::tr("micro-batch"),
         .look = RunPlot::Look::DashedStairs,
         .hue = &Theme::throughput,
         .values = valuesOf(snapshot.steps, [](const StepRecord& record) { return record.microBatchSize; })}};
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

AxisRange stepRangeOf(const TrainingSnapshot& snapshot)
{
    const std::int64_t first = snapshot.run ? snapshot.run->firstStep : 0;
    const std::int64_t last = snapshot.steps.empty() ? first : snapshot.steps.back().step;
    return stepRangeFor(first, last, snapshot.run ? snapshot.run->steps : 0);
}

QString valueText(RunPlot::Quantity quantity, double value)
{
    switch (quantity) {
    case RunPlot::Quantity::Loss:
        return engine::lossText(value);
    case RunPlot::Quantity::Rate:
        return Words::tr("%1 samples/s").arg(engine::rateText(value));
    case RunPlot::Quantity::Size:
        break;
    }
    return engine::numberText(std::llround(value));
}

QStringList linesAt(const RunPlot& plot, std::int64_t step)
{
    QStringList lines{Words::tr("step %1").arg(engine::numberText(step))};
    for (const auto& series : plot.series) {
        if (series.look == RunPlot::Look::DashedLine)
            continue;
        const auto value = series.valueAt(step);
        if (!value)
            continue;
        const QString text = valueText(plot.quantity, *value);
        lines << (plot.quantity == RunPlot::Quantity::Rate ? text
                                                           : QStringLiteral("%1 %2").arg(series.name, text));
    }
    for (const auto& marker : plot.markers) {
        if (marker.step == step)
            lines << marker.text;
    }
    return lines;
}

QString runPlotSummary(const RunPlot& plot)
{
    QStringList sentences;
    for (const auto& series : plot.series) {
        if (series.values.empty() || series.look == RunPlot::Look::DashedLine)
            continue;
        sentences << Words::tr("%1: %2 at step %3, %4 at step %5.")
                         .arg(series.name, valueText(plot.quantity, series.values.front().value))
                         .arg(series.values.front().step)
                         .arg(valueText(plot.quantity, series.values.back().value))
                         .arg(series.values.back().step);
    }
    for (const auto& marker : plot.markers)
        sentences << Words::tr("Step %1: %2.").arg(marker.step).arg(marker.text);
    return sentences.isEmpty() ? Words::tr("No step is done yet.") : sentences.join(QLatin1Char(' '));
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
        const auto [least, most] = std::minmax_element(
            begin, end, [](const StepValue& a, const StepValue& b) { return a.value < b.value; });
        kept.push_back(*std::min(least, most));
        if (least != most)
            kept.push_back(*std::max(least, most));
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

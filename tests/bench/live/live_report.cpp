// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_report.h"

#include "bench_interval.h"
#include "statistics.h"
#include "table_text.h"

#include <cmath>

namespace {

constexpr std::size_t nameWidth = 28;
/// Standard errors of a 95 % interval of a normal distribution.
constexpr double errorsOf95Percent = 1.96;
/// Width of the interval above which the verdict suggests more explorations.
constexpr double narrowInterval = 0.2;

std::string percent(double share)
{
    return cell(100.0 * share, 0, 0) + " %";
}

/// \param longRun  draws of the long-run samples/s of the size
bool agrees(const LiveExploration& exploration, const std::vector<double>& longRun)
{
    std::vector<double> logarithms;
    for (const double speed : longRun)
        logarithms.push_back(std::log(speed));
    const double middle = mean(logarithms);
    double squares = 0.0;
    for (const double value : logarithms)
        squares += (value - middle) * (value - middle);
    const double ofLongRun = std::sqrt(squares / static_cast<double>(logarithms.size()));
    return std::abs(std::log(exploration.samplesPerSecond) - middle) <=
           errorsOf95Percent * std::hypot(*exploration.relativeError, ofLongRun);
}

std::string shareCell(double sum, int count, int width, int decimals)
{
    if (count == 0)
        return std::string(static_cast<std::size_t>(width - 1), ' ') + "-";
    return cell(100.0 * sum / count, width, decimals);
}

} // namespace

void LiveFigures::add(const LiveFigures& other)
{
    explorations += other.explorations;
    failures += other.failures;
    outOfMemory += other.outOfMemory;
    within += other.within;
    stated += other.stated;
    perfect += other.perfect;
    regret += other.regret;
    intervals += other.intervals;
    inIntervals += other.inIntervals;
    agreeing += other.agreeing;
    speeds.insert(speeds.end(), other.speeds.begin(), other.speeds.end());
    trials.insert(trials.end(), other.trials.begin(), other.trials.end());
    seconds.insert(seconds.end(), other.seconds.begin(), other.seconds.end());
}

TruthVerdict verdictOf(const SweepTruth& truth, const LiveRecord& record, double tolerance)
{
    return {truth.draws(), record.answers, tolerance,
            [&truth](int draw, std::int64_t size) { return truth.samplesPerSecond(draw, size); }};
}

LiveFigures figuresOf(const LiveRecord& record, double tolerance)
{
    LiveFigures figures{
        .name = record.name, .failures = record.failures, .outOfMemory = record.outOfMemoryOfFailures};
    if (record.visits.empty() || record.answers.empty())
        return figures;
    const SweepTruth truth(record.visits);
    const TruthVerdict verdict = verdictOf(truth, record, tolerance);
    for (const LiveExploration& exploration : record.explorations) {
        ++figures.explorations;
        figures.outOfMemory += exploration.outOfMemory;
        figures.within += verdict.shareWithin(exploration.size);
        figures.stated += exploration.stated;
        figures.perfect += verdict.perfectShare();
        figures.regret += verdict.regret(exploration.size);
        figures.trials.push_back(exploration.trials);
        figures.seconds.push_back(exploration.seconds);
        if (exploration.relativeError) {
            const double halfWidth = errorsOf95Percent * *exploration.relativeError;
            const double factor = std::exp(halfWidth);
            std::vector<double> speeds;
            for (int draw = 0; draw < truth.draws(); ++draw)
                speeds.push_back(truth.samplesPerSecond(draw, exploration.size));
            figures.speeds.push_back({.size = exploration.size,
                                      .stated = exploration.samplesPerSecond,
                                      .halfWidth = halfWidth,
                                      .low = quantile(speeds, 0.025),
                                      .high = quantile(speeds, 0.975)});
            ++figures.intervals;
            figures.inIntervals +=
                verdict.shareBetween(exploration.size, exploration.samplesPerSecond / factor,
                                     exploration.samplesPerSecond * factor);
            figures.agreeing += agrees(exploration, speeds) ? 1 : 0;
        }
    }
    return figures;
}

std::string liveHeading(double tolerance)
{
    return "Percent of explorations: within " + cell(100.0 * tolerance, 0, 1) +
           " % of the best size, by all that the visits leave possible; stated\n(mean confidence); perfect "
           "(what a "
           "forecaster states, and is right, who knows every visit); in95 (the long-run\nsamples/s lie in "
           "the stated "
           "interval of 95 %); agree (stated and long-run samples/s differ by no more than the errors\nof "
           "both leave possible in 95 %: what in95 would be if the visits told the long run exactly). "
           "Regret: "
           "percent\nbelow the best. Trials and seconds of an exploration: medians. Out of memory, and "
           "explorations that ended\nwithout a size: counts.\n" +
           nameCell("", nameWidth) +
           " explorations  within  stated  perfect  regret   in95  agree  trials  seconds    oom  failed";
}

std::string liveRow(const LiveFigures& figures)
{
    const int count = figures.explorations;
    return nameCell(figures.name, nameWidth) + cell(count, 13, 0) + shareCell(figures.within, count, 8, 1) +
           shareCell(figures.stated, count, 8, 1) + shareCell(figures.perfect, count, 9, 1) +
           shareCell(figures.regret, count, 8, 2) + shareCell(figures.inIntervals, figures.intervals, 7, 1) +
           shareCell(figures.agreeing, figures.intervals, 7, 1) + cell(quantile(figures.trials, 0.5), 8, 0) +
           cell(quantile(figures.seconds, 0.5), 9, 1) + cell(figures.outOfMemory, 7, 0) +
           cell(figures.failures, 8, 0);
}

std::string liveSpeedText(const LiveFigures::Speed& speed)
{
    return std::to_string(speed.size) + ": " + cell(speed.stated, 0, 1) + " samples/s +- " +
           cell(100.0 * speed.halfWidth, 0, 1) + " % stated, " + cell(speed.low, 0, 1) + " to " +
           cell(speed.high, 0, 1) + " in the long run";
}

std::string liveVerdict(const LiveFigures& overall)
{
    const int count = overall.explorations;
    if (count == 0)
        return "No exploration can be judged, so that nothing is known of the confidence here: let at least "
               "one end, "
               "and one round of all sizes.";
    const ShareInterval interval = binomialInterval(overall.within, count);
    const double stated = overall.stated / count;
    const std::string said = percent(overall.within / count) + " were right (between " +
                             percent(interval.low) + " and " + percent(interval.high) +
                             " with 95 % certainty), and " + percent(stated) + " was stated, over " +
                             std::to_string(count) + (count == 1 ? " exploration" : " explorations");
    const std::string more = interval.high - interval.low > narrowInterval
                                 ? "; for a surer answer run more with --explorations."
                                 : ".";
    if (interval.holds(stated))
        return "The stated confidence can be believed here as far as this tells: " + said + more;
    if (stated > interval.high && overall.perfect / count < stated)
        return "Whether the stated confidence is too high here cannot be told: " + said +
               ", where somebody who knows every visit would be right in " +
               percent(overall.perfect / count) + "; for an answer visit more with --rounds.";
    if (stated > interval.high)
        return "The stated confidence is too high here: " + said + more;
    return "The stated confidence is too low here: " + said + more;
}

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::search {

namespace {

constexpr TrialCost::Length normalLength{};
constexpr int repeatFactor = 3;
/// A step that takes longer than this is timed only a few times: its relative noise is small, and the search
/// would stand still.
constexpr double slowStepSeconds = 1.0;
constexpr int slowSteps = 3;
/// Duration of the warm-up in steps. It has three steps, the first of which takes as long as two and a half.
/// If a step takes longer than slowWarmupSeconds, it has two (trial::isWarm()), the first of which is hardly
/// slower.
constexpr double warmupSteps = 4.5;
constexpr double slowWarmupSteps = 2.5;
constexpr double slowWarmupSeconds = 2.0;
// Warm-up steps of each size in a comparison.
constexpr double comparedWarmupSteps = 3.0;
constexpr int untimedStepsPerVisit = 1;
constexpr double minSetupSeconds = 0.05;
/// Weight of the newest trial's set-up time.
constexpr double setupMemory = 0.3;

double warmupStepsAt(double stepSeconds)
{
    return stepSeconds > slowWarmupSeconds ? slowWarmupSteps : warmupSteps;
}

} // namespace

double TrialCost::Length::stepsAt(double stepSeconds) const
{
    const double wanted = std::ceil(minSeconds / std::max(stepSeconds, 1e-9));
    return std::clamp(wanted, static_cast<double>(minSteps), static_cast<double>(maxSteps));
}

TrialCost::Length TrialCost::length(double predictedStepSeconds, bool isRepeat)
{
    Length length = normalLength;
    if (predictedStepSeconds > slowStepSeconds)
        length = {.minSteps = slowSteps, .maxSteps = slowSteps, .minSeconds = 0.0};
    if (isRepeat) {
        length.minSteps = std::min(length.minSteps * repeatFactor, normalLength.maxSteps);
        length.maxSteps *= repeatFactor;
        length.minSeconds *= repeatFactor;
    }
    return length;
}

void TrialCost::record(const Measurement& measurement)
{
    if (!measurement.ran() || !measurement.compared.empty() || !std::isfinite(measurement.wallSeconds))
        return;
    const double steps = warmupStepsAt(measurement.secondsPerStep) + measurement.timedSteps();
    const double setup =
        std::max(minSetupSeconds, measurement.wallSeconds - steps * measurement.secondsPerStep);
    m_setupSeconds = m_hasSetup ? (1.0 - setupMemory) * m_setupSeconds + setupMemory * setup : setup;
    m_hasSetup = true;
}

double TrialCost::predictedWallSeconds(double predictedStepSeconds, const Length& length) const
{
    const double steps = warmupStepsAt(predictedStepSeconds) + length.stepsAt(predictedStepSeconds);
    return m_setupSeconds + steps * predictedStepSeconds;
}

double TrialCost::comparisonSeconds(std::span<const double> predictedStepSeconds, int visits,
                                    int stepsPerVisit) const
{
    const double steps = comparedWarmupSteps + visits * (untimedStepsPerVisit + stepsPerVisit);
    return m_setupSeconds + steps * std::reduce(predictedStepSeconds.begin(), predictedStepSeconds.end());
}

} // namespace batchpeak::search

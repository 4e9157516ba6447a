// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "short_budget_text.h"

#include "options/option_values.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace batchpeak::engine {

namespace {

using std::chrono::seconds;

// Steps of a typical trial, including warm-up, and the number of trials that give a first result.
constexpr double stepsOfATrial = 15.0;
constexpr double trialsThatTell = 5.0;
/// Factor by which a start may take longer than the part of it so far.
constexpr double startFactor = 5.0;

QString progressText(const Snapshot& snapshot)
{
    const auto knowsProgram = [](const DeviceSnapshot& device) { return !device.program.isEmpty(); };
    if (snapshot.trials.empty()) {
        return std::ranges::any_of(snapshot.devices, knowsProgram)
                   ? Translated::tr("the network was still being loaded")
                   : Translated::tr("the worker was still starting");
    }
    const trial::TrialRecord& trial = snapshot.trials.back();
    if (trial.timedSteps > 0)
        return Translated::tr("it had reached timed step %1").arg(numberText(trial.timedSteps + 1));
    return Translated::tr("it had reached warm-up step %1").arg(numberText(trial.warmupSteps + 1));
}

/// Returns the time that a few trials would take, as far as it is known.
double neededSeconds(const Snapshot& snapshot)
{
    if (snapshot.trials.empty())
        return startFactor * snapshot.elapsedSeconds;
    const trial::TrialRecord& trial = snapshot.trials.back();
    const int steps = std::max(trial.warmupSteps + trial.timedSteps, 1);
    const double start = std::max(snapshot.elapsedSeconds - trial.wallSeconds, 0.0);
    return start + trialsThatTell * stepsOfATrial * trial.wallSeconds / steps;
}

/// Rounds up to a budget that people would choose.
seconds roundBudget(double min)
{
    constexpr std::array budgets{seconds(30),   seconds(60),    seconds(120),  seconds(300),
                                 seconds(600),  seconds(900),   seconds(1800), seconds(3600),
                                 seconds(7200), seconds(14400), seconds(28800)};
    const auto* const place = std::ranges::find_if(
        budgets, [min](seconds budget) { return static_cast<double>(budget.count()) >= min; });
    return place == budgets.end() ? budgets.back() : *place;
}

} // namespace

bool endedBeforeATrial(const Snapshot& snapshot)
{
    return std::ranges::all_of(snapshot.trials, [](const trial::TrialRecord& trial) {
        return trial.isRunning() || trial.outcome == trial::Outcome::Cancelled;
    });
}

QString shortBudgetText(const Snapshot& snapshot, double budgetSeconds, std::int64_t smallest)
{
    const std::int64_t size = snapshot.trials.empty() ? smallest : snapshot.trials.back().microBatchSize;
    const seconds enough = roundBudget(std::max(neededSeconds(snapshot), 2.0 * budgetSeconds));
    return Translated::tr(
               "The time budget (%1) was too short for one trial of size %2: %3. Give it %4 or more "
               "(--time-budget %5).")
        .arg(wholeDurationText(budgetSeconds), numberText(size), progressText(snapshot),
             durationText(std::chrono::milliseconds(enough)), QString::fromStdString(durationToText(enough)));
}

} // namespace batchpeak::engine

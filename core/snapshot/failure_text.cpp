// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "failure_text.h"

#include "options/option_values.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <chrono>

namespace batchpeak::engine {

namespace {

bool needsResult(FinishStatus status)
{
    return status == FinishStatus::Exhausted || status == FinishStatus::Budget;
}

/// Returns the smallest size that was tried and does not fit in memory: smaller ones may fail for another
/// reason.
std::int64_t smallestWithoutRoom(const Snapshot& snapshot, std::int64_t smallest)
{
    std::int64_t min = 0;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (speaksOfMemory(trial) && (min == 0 || trial.microBatchSize < min))
            min = trial.microBatchSize;
    }
    return std::max(min, smallest);
}

struct MemoryNeed
{
    /// Usable memory of the device with the least; 0 if it is not known.
    std::int64_t usable = 0;
    /// Minimum that is needed; 0 if nothing is known.
    std::int64_t needed = 0;
    bool evenEmptyIsTooMuch = false;
};

MemoryNeed memoryNeed(const Snapshot& snapshot, std::int64_t smallest)
{
    MemoryNeed need{.usable = snapshot.minUsableBytes()};
    for (const DeviceSnapshot& device : snapshot.devices)
        need.needed = std::max(need.needed, device.baselineBytes);
    need.evenEmptyIsTooMuch = need.usable > 0 && need.needed > need.usable;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (trial.microBatchSize == smallest)
            need.needed = std::max(need.needed, trial.peakReservedBytes.value_or(0));
    }
    return need;
}

/// Returns the text for the case that everything that is known to be needed would have fit.
QString needlessRefusalText(const Snapshot& snapshot)
{
    const std::int64_t usable = snapshot.minUsableBytes();
    if (usable <= 0)
        return Translated::tr("The memory it needs is unknown");
    const bool ranOut = std::ranges::any_of(snapshot.trials, [](const trial::TrialRecord& trial) {
        return trial.outcome == trial::Outcome::OutOfMemory;
    });
    return (ranOut ? Translated::tr("Every size that was tried ran out of memory, although %1 may be used. "
                                    "The memory needed is therefore unknown")
                   : Translated::tr("Every size that was tried had too little memory, although %1 may be "
                                    "used. The memory needed is therefore unknown"))
        .arg(bytesText(usable));
}

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

bool speaksOfMemory(const trial::TrialRecord& trial)
{
    return trial.outcome == trial::Outcome::OutOfMemory || trial.thrashes || !trial.withinHeadroom;
}

std::optional<FinishStatus> finishStatusOf(search::SearchState::Status status)
{
    using Status = search::SearchState::Status;
    switch (status) {
    case Status::Confident:
        return FinishStatus::Confident;
    case Status::Exhausted:
        return FinishStatus::Exhausted;
    case Status::Budget:
        return FinishStatus::Budget;
    case Status::NothingFits:
        return FinishStatus::NothingFits;
    case Status::Searching:
        break;
    }
    return std::nullopt;
}

RunEnd runEndOf(FinishStatus wanted, const Snapshot& snapshot, std::int64_t smallest,
                std::optional<double> budgetSeconds)
{
    if (wanted == FinishStatus::Budget && budgetSeconds && endedBeforeATrial(snapshot)) {
        return {.status = FinishStatus::Failed,
                .failure = shortBudgetText(snapshot, *budgetSeconds, smallest)};
    }
    if (wanted == FinishStatus::NothingFits && std::ranges::any_of(snapshot.trials, speaksOfMemory))
        return {.status = wanted, .failure = nothingFitsText(snapshot, smallest)};
    if (wanted == FinishStatus::NothingFits || (needsResult(wanted) && !snapshot.searchState.recommendation))
        return {.status = FinishStatus::Failed, .failure = noResultText(snapshot)};
    return {.status = wanted, .failure = {}};
}

QString nothingFitsText(const Snapshot& snapshot, std::int64_t smallest)
{
    const std::int64_t without = smallestWithoutRoom(snapshot, smallest);
    QString opening;
    // If the network alone is too large, allowing smaller sizes would not help.
    if (without == 1 || memoryNeed(snapshot, without).evenEmptyIsTooMuch)
        opening = Translated::tr("Nothing fits, not even 1.");
    else if (without > smallest)
        opening = Translated::tr("%1 does not run, and %2 does not fit.")
                      .arg(numberText(smallest), numberText(without));
    else
        opening =
            Translated::tr("Nothing fits, not even %1, the smallest size allowed.").arg(numberText(smallest));
    return opening + QLatin1Char(' ') + memoryNeedText(snapshot, without);
}

QString memoryNeedText(const Snapshot& snapshot, std::int64_t smallest)
{
    const MemoryNeed need = memoryNeed(snapshot, smallest);
    const ComparedBytes bytes = comparedBytesText(need.needed, need.usable);
    QString text;
    if (need.evenEmptyIsTooMuch)
        text = Translated::tr("The network alone, without any sample, needs %1").arg(bytes.first);
    else if (need.needed > need.usable)
        text = Translated::tr("It needs at least %1").arg(bytes.first);
    else
        text = needlessRefusalText(snapshot);
    if (need.usable > 0 && need.needed > need.usable)
        text += Translated::tr(", and %1 may be used").arg(bytes.second);
    text += QLatin1String(". ");
    QStringList ways{Translated::tr("raise the memory limit"), Translated::tr("use another device")};
    if (!need.evenEmptyIsTooMuch && smallest > 1)
        ways.prepend(Translated::tr("allow smaller sizes"));
    if (!need.evenEmptyIsTooMuch && snapshot.run && snapshot.run->sequenceLength > 0)
        ways.append(Translated::tr("shorten the sequence length"));
    ways.front()[0] = ways.front().at(0).toUpper();
    const QString last = ways.takeLast();
    return text + Translated::tr("%1 or %2.", "ways out").arg(ways.join(QLatin1String(", ")), last);
}

QString noResultText(const Snapshot& snapshot)
{
    if (snapshot.trials.empty())
        return Translated::tr("The search proposed no trial; please report this.");
    const trial::TrialRecord& last = snapshot.trials.back();
    const QString why =
        last.text.empty() ? Translated::tr("The worker did not say why.") : QString::fromStdString(last.text);
    const bool onlyFreshOnesFailed = std::ranges::any_of(snapshot.trials, &trial::TrialRecord::ranWell);
    return (onlyFreshOnesFailed
                ? Translated::tr("No size that ran also ran in a fresh process. The last one, %1, failed: %2 "
                                 "Fix this problem, then start again.")
                : Translated::tr(
                      "No trial gave a result. The last one, of size %1, failed: %2 Fix that, then "
                      "start again."))
        .arg(numberText(last.microBatchSize), why);
}

QString noDeviceText(const QString& problem, const QStringList& lastLines)
{
    return withLastLines(Translated::tr("The workers keep exiting, so no trial can run. %1").arg(problem),
                         lastLines);
}

QString lostPlaceText(const QString& problem, bool hasTrials)
{
    return hasTrials ? Translated::tr("%1 Nothing that was measured is lost: once the place is back, "
                                      "continue the exploration.")
                           .arg(problem)
                     : problem;
}

QStringList awaitedPlaces(const Snapshot& snapshot)
{
    QStringList phrases;
    if (!snapshot.isUnderWay())
        return phrases;
    const auto add = [&phrases](const QString& name, const Connection& connection) {
        phrases << QStringLiteral("%1: %2").arg(name, connectionText(connection));
    };
    for (const PlaceSnapshot& place : snapshot.places)
        add(place.name, place.connection);
    for (const DeviceSnapshot& device : snapshot.devices) {
        if (device.connection.isConcern() && device.connection.state != Connection::State::GivenUp)
            add(device.id, device.connection);
    }
    return phrases;
}

QString withLastLines(const QString& text, const QStringList& lastLines)
{
    if (lastLines.isEmpty())
        return text;
    return text + QLatin1Char('\n') + Translated::tr("Last output of the worker:") + QLatin1Char('\n') +
           lastLines.join(QLatin1Char('\n'));
}

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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The commands that a person gives to an exploration while it is under way.
#include "exploration_run.h"
#include "log_text.h"
#include "text/comparison_text.h"
#include "text/errors.h"
#include "text/readable_text.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

void Exploration::pause()
{
    if ((state() != State::Exploring && state() != State::Verifying) || snapshot().pauseRequested)
        return;
    m_run->builder.setPauseRequested(true);
    int left = 0;
    for (const trial::TrialRecord& trial : snapshot().trials)
        left += leave(trial) ? 1 : 0;
    m_run->builder.log(LogLevel::Info,
                       left > 0 ? tr("Pausing. What runs is canceled, and does not count.") : tr("Pausing."));
    publish();
    emit occurred(Commanded{.kind = Commanded::Kind::Pause});
    startTrials();
}

void Exploration::resume()
{
    if (state() != State::Paused && !snapshot().pauseRequested)
        return;
    leavePause();
    m_run->builder.setState(m_run->verifier.isUnderWay() ? State::Verifying : State::Exploring);
    m_run->builder.setPauseRequested(false);
    m_run->pool->wake();
    publish();
    emit occurred(Commanded{.kind = Commanded::Kind::Resume});
    endIfSearchHasEnded();
    startTrials();
}

/// Whether there is a search that can follow commands.
bool Exploration::takesCommands() const
{
    return m_run && m_run->planner &&
           (state() == State::Exploring || state() == State::Paused || state() == State::Verifying);
}

Commands Exploration::commands() const
{
    if (!takesCommands())
        return {};
    const search::Abilities& abilities = m_run->abilities;
    return {.skipsTrial = snapshot().runsTrials(),
            .excludesSizes = abilities.excludesSizes,
            .triesSizes = abilities.triesAskedSizes && state() != State::Verifying,
            .extends = abilities.changesMaxTrials || m_run->budgetSeconds,
            .changesTolerance = abilities.changesTolerance,
            .changesTargetConfidence = abilities.changesTargetConfidence};
}

/// Passes a command to the search, the log and the receivers of events.
void Exploration::takeCommand(PlannerCall call, const Commanded& command, const QString& text)
{
    tellSearch(std::move(call), [this](const search::SearchState& searchState) {
        // A pause defers everything, even an end.
        if (state() == State::Paused)
            takeSearchState(searchState);
        else
            actOn(searchState);
    });
    m_run->builder.log(LogLevel::Info, text);
    publish();
    emit occurred(command);
}

void Exploration::skipTrial(const QString& device)
{
    if (!commands().skipsTrial)
        return;
    bool isAny = false;
    for (const trial::TrialRecord& trial : snapshot().trials) {
        const QString where = QString::fromStdString(trial.device);
        if (!trial.isRunning() || (!device.isEmpty() && device != where))
            continue;
        if (DeviceRunner* const runner = m_run->pool->usableRunner(where)) {
            isAny = true;
            runner->skip();
            m_run->leaving.erase(trial.number);
            m_run->builder.log(LogLevel::Info, tr("Trial %1 is skipped.").arg(trial.number));
        }
    }
    if (!isAny)
        return;
    publish();
    emit occurred(Commanded{.kind = Commanded::Kind::SkipTrial, .device = device});
}

void Exploration::excludeSize(std::int64_t size, bool isExcluded)
{
    const std::vector<std::int64_t>& excluded = snapshot().searchState.excluded;
    const bool wasExcluded = std::ranges::binary_search(excluded, size);
    if (!commands().excludesSizes || isExcluded == wasExcluded)
        return;
    if (isExcluded) {
        m_run->builder.dropAsked(size);
        for (const trial::TrialRecord& trial : snapshot().trials) {
            DeviceRunner* const runner = m_run->pool->usableRunner(QString::fromStdString(trial.device));
            if (trial.isRunning() && trial.microBatchSize == size && runner) {
                runner->skip();
                m_run->leaving.erase(trial.number);
            }
        }
    }
    using Kind = Commanded::Kind;
    takeCommand({.kind = isExcluded ? PlannerCall::Kind::Exclude : PlannerCall::Kind::Allow, .size = size},
                {.kind = isExcluded ? Kind::ExcludeSize : Kind::AllowSize, .size = size},
                isExcluded ? tr("%1 is excluded: it is neither tried nor recommended.").arg(numberText(size))
                           : tr("%1 is allowed again.").arg(numberText(size)));
}

QString Exploration::tryError(std::int64_t size) const
{
    if (!takesCommands())
        return tr("No search is under way; start one first.");
    if (state() == State::Verifying)
        return tr("The search has ended, and its result is verified; go on after that to try %1.")
            .arg(numberText(size));
    const search::SearchSpace& space = m_run->plan.space;
    if (size < space.minimum || size > space.maximum)
        return tr("%1 is outside of what may be tried; choose a size from %2 to %3.")
            .arg(numberText(size), numberText(space.minimum), numberText(space.maximum));
    if (!space.candidates.empty() && !std::ranges::binary_search(space.candidates, size))
        return tr("%1 cannot be the answer; choose one of %2.")
            .arg(numberText(size), sizesText(space.candidates));
    if (std::ranges::binary_search(snapshot().searchState.excluded, size))
        return tr("%1 is excluded; allow it again first.").arg(numberText(size));
    if (!m_run->abilities.triesAskedSizes)
        return tr("This exploration tries only the size that it was asked for.");
    return {};
}

QString Exploration::tryNow(std::int64_t size)
{
    QString obstacle = tryError(size);
    if (!obstacle.isEmpty())
        return obstacle;
    m_run->builder.addAsked(size);
    takeCommand({.kind = PlannerCall::Kind::TryNow, .size = size},
                {.kind = Commanded::Kind::TryNow, .size = size},
                tr("%1 is tried next, as you asked.").arg(numberText(size)));
    makeRoomForAsked(size);
    return {};
}

void Exploration::extend(const ExtraBudget& more)
{
    const bool addsTime = m_run && m_run->budgetSeconds && more.time && more.time->count() > 0;
    const int trials = m_run && m_run->abilities.changesMaxTrials ? std::max(more.trials, 0) : 0;
    if (!commands().extends || (trials == 0 && !addsTime))
        return;
    Commanded command{.kind = Commanded::Kind::Extend, .trials = trials};
    if (addsTime) {
        command.seconds = static_cast<double>(more.time->count());
        *m_run->budgetSeconds += *command.seconds;
        m_run->onlyVerifies = false;
        if (m_run->budgetLeft)
            *m_run->budgetLeft += *more.time;
        else
            m_run->budget.start(m_run->budget.remaining() + *more.time);
    }
    m_run->builder.extend(trials, m_run->budgetSeconds);
    takeCommand(
        {.kind = PlannerCall::Kind::Extend, .size = trials, .seconds = command.seconds.value_or(0.0)},
        command,
        tr("The budget is now %1%2.")
            .arg(trialsText(snapshot().run->maxTrials),
                 m_run->budgetSeconds ? tr(" and %1").arg(durationText(*m_run->budgetSeconds)) : QString()));
}

void Exploration::setTolerance(double share)
{
    if (!commands().changesTolerance || !(share > 0.0) || !(share < 1.0) ||
        share == snapshot().run->tolerance)
        return;
    m_run->builder.setTolerance(share);
    takeCommand({.kind = PlannerCall::Kind::SetTolerance, .share = share},
                {.kind = Commanded::Kind::SetTolerance, .share = share},
                tr("The tolerance is now %1.").arg(percentText(share)));
}

void Exploration::setTargetConfidence(double probability)
{
    if (!commands().changesTargetConfidence || !(probability > 0.0) || !(probability <= 1.0) ||
        probability == snapshot().run->targetConfidence)
        return;
    m_run->builder.setTargetConfidence(probability);
    takeCommand({.kind = PlannerCall::Kind::SetTargetConfidence, .share = probability},
                {.kind = Commanded::Kind::SetTargetConfidence, .share = probability},
                tr("It ends at a confidence of %1 now.").arg(numberText(std::llround(100.0 * probability))));
}

/// Cancels a running trial that is not to count.
/// \return whether a trial ends because of it
bool Exploration::leave(const trial::TrialRecord& trial)
{
    DeviceRunner* const runner = m_run->pool->usableRunner(QString::fromStdString(trial.device));
    if (!trial.isRunning() || !runner || runner->isSkipping())
        return false;
    m_run->leaving.insert(trial.number);
    runner->skip();
    return true;
}

/// Cancels the trial that has run for the shortest time, unless a device is free or about to be, or a trial
/// of \p size is running. A trial that a person asked for is not canceled for the next one.
void Exploration::makeRoomForAsked(std::int64_t size)
{
    const std::vector<trial::TrialRecord>& trials = snapshot().trials;
    const bool needsNone = std::ranges::any_of(trials, [&](const trial::TrialRecord& trial) {
        const DeviceRunner* const runner = m_run->pool->usableRunner(QString::fromStdString(trial.device));
        return trial.isRunning() && (trial.microBatchSize == size || (runner && runner->isSkipping()));
    });
    if (needsNone || !m_run->pool->freeRunners().empty())
        return;
    const auto last = std::find_if(trials.rbegin(), trials.rend(), [](const trial::TrialRecord& trial) {
        return trial.isRunning() && trial.purpose != trial::Purpose::Asked;
    });
    if (last == trials.rend() || !leave(*last))
        return;
    m_run->builder.log(LogLevel::Info,
                       tr("Trial %1 is canceled to free its device, and does not count.").arg(last->number));
}

/// Handles the end of a trial that was canceled without counting. A verification remains due.
void Exploration::endLeft(const trial::TrialRecord& trial)
{
    if (trial.isVerification)
        return;
    if (trial.purpose == trial::Purpose::Asked)
        m_run->builder.askAgain(trial.microBatchSize);
    tellSearch({.kind = PlannerCall::Kind::GiveBack, .device = QString::fromStdString(trial.device)},
               [this](const search::SearchState& searchState) { actOn(searchState); });
}

/// Handles the end of a trial that a person skipped.
void Exploration::endSkipped(const trial::TrialRecord& trial)
{
    if (trial.isVerification) {
        m_run->verifier.giveUp();
        const auto& best = snapshot().searchState.recommendation;
        const bool isStillBest = best && best->size == trial.microBatchSize;
        m_run->builder.setVerification(isStillBest ? std::optional(m_run->verifier.verification())
                                                   : std::nullopt);
    }
    const auto act = [this](const search::SearchState& searchState) { actOn(searchState); };
    if (trial.isVerification)
        return askSearch([](const TrialPlanner& planner) { return planner.searchState(); }, act);
    tellSearch({.kind = PlannerCall::Kind::TrialSkipped,
                .device = QString::fromStdString(trial.device),
                .trial = trial.number},
               act);
}

} // namespace batchpeak::engine

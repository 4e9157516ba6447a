// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration.h"

#include "exploration_run.h"
#include "history/past_exploration.h"
#include "history/trial_reading.h"
#include "log_text.h"
#include "snapshot/failure_text.h"
#include "snapshot/unlike_devices.h"
#include "store/exploration_store.h"
#include "text/comparison_text.h"
#include "text/errors.h"
#include "text/readable_text.h"
#include "workers/spare_thread.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace batchpeak::engine {

namespace {

// The first trial does not wait longer for a history that another program holds. In a window, it never waits
// for it in one piece.
constexpr std::chrono::seconds longestRecall{5};
constexpr std::chrono::milliseconds recallAgainAfter{100};

/// What the search replies for a device that is free.
struct NextTrialReply
{
    std::optional<search::Proposal> proposal;
    int repetition = 0;
    bool expectsMore = false;
};

/// What the search concludes from a trial.
struct SearchUpdate
{
    FollowUp followUp = FollowUp::None;
    bool repeatsOn = true;
    search::SearchState searchState;
};

} // namespace

Exploration::Exploration(ExplorationParts parts, QObject* parent)
    : ObservedExploration(parent), m_parts(std::move(parts))
{}

Exploration::~Exploration() = default;

const Snapshot& Exploration::snapshot() const
{
    static const Snapshot nothingLoaded;
    return m_run ? m_run->builder.snapshot() : nothingLoaded;
}

void Exploration::load(const QString& filePath, const config::ConfigContents& contents,
                       const ExplorationOptions& asked)
{
    if (snapshot().isUnderWay())
        return;
    const ExplorationOptions options = withProcesses(asked, contents, m_parts.localDevices);
    ExplorationPlan plan = planExploration(filePath, contents, options);
    if (dependsOnDevices(plan.load))
        fitToDevices(plan, options, m_parts.localDevices());
    setRun(std::make_unique<Run>(std::move(plan), options));
    emit snapshotChanged(snapshot());
}

/// The current call may come from a slot of the old run's last signal, so the old run must outlive the call.
void Exploration::setRun(std::unique_ptr<Run> run)
{
    std::swap(m_run, run);
    if (!run)
        return;
    if (run->pool)
        run->pool->disconnect(this);
    run.release()->deleteLater();
}

void Exploration::load(const ConfigFile& file, const ExplorationOptions& options)
{
    if (snapshot().isUnderWay())
        return;
    load(file.path(), file.contentsFor(options), options);
    m_run->builder.setConfig(QString::fromStdString(file.text()), file.chosenModel());
}

void Exploration::start()
{
    if (!m_run || snapshot().isUnderWay())
        return;
    DeviceLease::Hold lease = m_parts.lease->take(DeviceLease::Holder::Exploration);
    if (hasEnded())
        setRun(std::make_unique<Run>(m_run->plan, m_run->options));
    m_run->lease = std::move(lease);
    m_run->builder.setState(State::Starting);
    emit occurred(Started{});
    // A receiver of the event may have ended the exploration.
    if (state() == State::Starting)
        begin();
}

void Exploration::begin()
{
    connect(&m_run->tick, &QTimer::timeout, this, &Exploration::tick);
    connect(&m_run->budget, &LongTimer::timeout, this, [this] { finish(FinishStatus::Budget); });
    m_run->rest.setSingleShot(true);
    connect(&m_run->rest, &QTimer::timeout, this, [this] { m_run->pool->rest(); });
    startClock();
    for (const QString& note : m_run->plan.notes)
        m_run->builder.log(LogLevel::Warning, note);
    openPlaces();
}

void Exploration::continueSearch(const ExtraBudget& more)
{
    if (!snapshot().canContinue)
        return;
    m_run->lease = m_parts.lease->take(DeviceLease::Holder::Exploration);
    m_run->before = m_run->status;
    m_run->builder.reopen(m_run->now() - m_run->endSeconds);
    m_run->verifier = Verifier(m_run->options.verify);
    m_run->onlyVerifies = false;
    m_run->budgetSeconds.reset();
    if (more.time) {
        m_run->budget.start(*more.time);
        m_run->budgetSeconds = snapshot().elapsedSeconds + static_cast<double>(more.time->count());
    }
    // The current call may come from a slot of the pool's last signal.
    if (DevicePool* const ended = m_run->pool.release()) {
        ended->disconnect(this);
        ended->deleteLater();
    }
    tellSearch({.kind = PlannerCall::Kind::Continue,
                .size = more.trials,
                .seconds = more.time ? static_cast<double>(more.time->count()) : 0.0},
               [this](const search::SearchState& searchState) { takeSearchState(searchState); });
    const auto seconds = more.time ? std::optional<double>(more.time->count()) : std::nullopt;
    emit occurred(WentOn{.moreTrials = more.trials, .seconds = seconds});
    // A receiver of the event may have ended the exploration.
    if (state() == State::Starting)
        openPlaces();
}

void Exploration::beginTrials()
{
    if (state() != State::Starting)
        return;
    search::SearchSpace space = spaceOn(m_run->pool->snapshots(), m_run->plan.space);
    // The number of devices that share is known by now.
    space.memoryPrior = memoryPrior(m_run->devices.setups().front().load, m_run->options);
    space.comparesSizes = m_run->pool->canCompare();
    const bool isNew = !m_run->planner;
    if (isNew)
        m_run->startUpSeconds = static_cast<double>(m_run->clock.elapsed()) / 1000.0;
    if (isNew && m_run->cut)
        space = spaceOf(*m_run->cut, space);
    if (isNew && !makePlanner(space))
        return;
    if (m_run->comparesSizes && !m_run->pool->canCompare()) {
        fail(tr("The program that runs the trials is older than the one that ran them before; start the "
                "exploration anew."));
        return;
    }
    m_run->builder.setState(State::Exploring);
    if (const QString text = unlikeDevicesText(m_run->pool->snapshots()); !text.isEmpty() && isNew)
        m_run->builder.log(LogLevel::Warning, text);
    if (isNew && !m_run->cut) {
        emit searchBegun(space);
        m_run->untilRecalled.setRemainingTime(longestRecall);
        return recall(space.memoryLimitBytes);
    }
    if (isNew)
        resumeSearch();
    startTrials();
}

/// Tells a new search what an earlier exploration has measured; the first trial waits for that.
void Exploration::recall(std::int64_t memoryLimitBytes)
{
    std::optional<RecalledTrials> earlier;
    try {
        if (!m_run->options.isFresh && !m_history.isEmpty())
            earlier = recalledTrials(m_history, *snapshot().run, snapshot().devices, memoryLimitBytes);
    } catch (const store::StoreError& error) {
        // The part that keeps the history reports the error; here, nothing is known then.
        m_run->recallsLater =
            error.kind() == store::StoreError::Kind::Busy && !m_run->untilRecalled.hasExpired();
    }
    if (m_run->recallsLater) {
        QTimer::singleShot(recallAgainAfter, m_run.get(), [this, run = m_run.get(), memoryLimitBytes] {
            run->recallsLater = false;
            if (run == m_run.get() && state() == State::Exploring)
                recall(memoryLimitBytes);
        });
        return;
    }
    if (earlier)
        tellOf(std::move(*earlier));
    startTrials();
}

void Exploration::tellOf(RecalledTrials earlier)
{
    auto trials = recalledTrialsOf(earlier.measurements, QDateTime::currentDateTimeUtc(), *snapshot().run);
    tellSearch({.kind = PlannerCall::Kind::Recall, .recalled = std::move(earlier.measurements)},
               [this, trials = std::move(trials), exploration = earlier.exploration,
                age = earlier.age](const search::SearchState& searchState) {
                   if (searchState.recalledTrials == 0)
                       return;
                   const Recalled recalled{
                       .exploration = exploration, .trials = searchState.recalledTrials, .age = age};
                   m_run->builder.log(LogLevel::Info, recalledText(recalled));
                   m_run->builder.takeRecalled(trials);
                   takeSearchState(searchState);
                   emit occurred(recalled);
               });
}

/// \return whether the strategy exists and the planner was created
bool Exploration::makePlanner(const search::SearchSpace& space)
{
    try {
        auto strategy = m_parts.makeStrategy(m_run->options.strategy.toStdString(), space);
        m_run->comparesSizes = space.comparesSizes;
        m_run->abilities = strategy->abilities();
        m_run->planner = std::make_unique<TrialPlanner>(
            std::move(strategy), space.maxTrials, m_run->options.repeatDisturbed, snapshot().run->processes);
        if (!m_run->thinking.makeThread())
            m_run->builder.log(LogLevel::Warning,
                               noThreadText(tr("While the search thinks, nothing else is answered.")));
        return true;
    } catch (const std::invalid_argument& error) {
        fail(QString::fromUtf8(error.what()));
        return false;
    }
}

/// Starts trials on the free devices. While the search is thinking, none is started; its last answer calls
/// this again.
void Exploration::startTrials()
{
    if (m_run->recallsLater)
        return;
    m_run->putsOffTrials = m_run->thinks();
    if (m_run->putsOffTrials)
        return;
    if (m_run->verifier.isUnderWay())
        return verify();
    if (state() == State::Verifying)
        m_run->builder.resumeSearch();
    if (state() != State::Exploring || holdForPause())
        return;
    for (DeviceRunner* runner : m_run->pool->freeRunners()) {
        if (runner->renewForCompany())
            continue;
        const QString device = runner->snapshot().id;
        tellSearch(
            {.kind = PlannerCall::Kind::Next, .device = device},
            [device](const TrialPlanner& planner, const PlannerReply& reply) {
                return NextTrialReply{.proposal = reply.proposal,
                                      .repetition = planner.repetition(device),
                                      .expectsMore = planner.expectsMore()};
            },
            [this, device](const NextTrialReply& reply) {
                if (reply.proposal)
                    takeProposal(device, *reply.proposal, reply.repetition);
                else if (!reply.expectsMore && state() == State::Exploring)
                    conclude(FinishStatus::Exhausted);
            });
    }
    publish();
}

/// Starts the proposed trial, or gives the proposal back, since much may have happened since it was asked
/// for.
void Exploration::takeProposal(const QString& device, const search::Proposal& proposal, int repetition)
{
    // At the end, a proposal that has not begun is forgotten.
    if (state() == State::Finishing)
        return;
    DeviceRunner* const runner = m_run->pool->usableRunner(device);
    if (state() == State::Exploring && !snapshot().pauseRequested && runner && runner->isFree())
        return startTrial(*runner, proposal, repetition);
    tellSearch({.kind = PlannerCall::Kind::GiveBack, .device = device},
               [this](const search::SearchState& /*searchState*/) { startTrials(); });
}

/// \return whether a pause was requested, so that no trial may start; the pause begins when none is running
bool Exploration::holdForPause()
{
    const bool holds = snapshot().pauseRequested;
    if (holds && !snapshot().runsTrials()) {
        m_run->builder.setState(State::Paused);
        m_run->builder.setPauseRequested(false);
        m_run->pausedAt = m_run->now();
        if (m_run->budget.isActive())
            m_run->budgetLeft = m_run->budget.remaining();
        m_run->budget.stop();
        m_run->rest.start(m_parts.restAfter);
        publish();
    }
    return holds;
}

void Exploration::leavePause()
{
    m_run->rest.stop();
    m_run->builder.setDevicesAreFree(false);
    if (const auto since = std::exchange(m_run->pausedAt, std::nullopt))
        m_run->builder.addIdle(m_run->now() - *since);
    if (const auto left = std::exchange(m_run->budgetLeft, std::nullopt))
        m_run->budget.start(*left);
}

void Exploration::startTrial(DeviceRunner& runner, const search::Proposal& proposal, int repetition)
{
    const std::int64_t number = m_run->builder.nextTrial();
    m_run->stalls.trialStarted(number, m_run->now(), proposal.predictedWallSeconds);
    trial::TrialRecord record = recordFor(proposal, number);
    record.device = runner.snapshot().id.toStdString();
    record.repetition = repetition;
    record.isVerification = m_run->verifier.isUnderWay();
    const trial::TrialRecord started = m_run->builder.startTrial(std::move(record), m_run->now());
    if (proposal.compares())
        runner.compare(comparisonFor(proposal, number));
    else
        runner.runTrial(requestFor(proposal, number));
    publish();
    emit occurred(TrialStarted{started});
}

void Exploration::takeStep(const trial::Step& step)
{
    m_run->stalls.stepTaken(step.id, m_run->now(), step.seconds);
    m_run->builder.takeStep(step);
    publish();
}

void Exploration::endTrial(const DeviceSnapshot& device, const trial::TrialResult& told, bool workerLost,
                           double workerSeconds)
{
    const trial::TrialResult result = onClock(told, m_run->now() - workerSeconds);
    const trial::TrialRecord ended = m_run->builder.endTrial(result, device, m_run->now());
    m_run->stalls.trialEnded(result.id);
    // A lost connection says nothing about the size.
    const bool isLeft = m_run->leaving.erase(result.id) > 0 || workerLost;

    if (ended.outcome == trial::Outcome::Cancelled) {
        if (state() != State::Finishing)
            isLeft ? endLeft(ended) : endSkipped(ended);
    } else {
        const trial::TrialResult counted = inObjective(result, snapshot().run->objective);
        const TrialReading reading{.trial = ended,
                                   .measurement = measurementOf(ended, counted, workerLost, m_run->now())};
        if (ended.isVerification)
            judgeVerification(device, reading);
        else
            learn(device.id, reading);
    }
    publish();
    emit occurred(TrialFinished{ended});
    startTrials();
}

void Exploration::learn(const QString& device, const TrialReading& reading)
{
    tellSearch(
        {.kind = PlannerCall::Kind::TrialEnded,
         .device = device,
         .trial = reading.trial.number,
         .measurement = reading.measurement},
        [device](const TrialPlanner& planner, const PlannerReply& reply) {
            return SearchUpdate{.followUp = reply.followUp,
                                .repeatsOn = planner.repeatsOn(device),
                                .searchState = planner.searchState()};
        },
        [this, device, trial = reading.trial](const SearchUpdate& update) {
            if (update.repeatsOn)
                m_run->restlessDevices.remove(device);
            else
                m_run->restlessDevices.insert(device);
            if (state() != State::Finishing)
                m_run->builder.logFollowUp(trial, update.followUp);
            actOn(update.searchState);
        });
}

void Exploration::actOn(const search::SearchState& searchState)
{
    takeSearchState(searchState);
    endIfSearchHasEnded();
    startTrials();
}

void Exploration::takeSearchState(const search::SearchState& searchState)
{
    const bool isRecommendationNew = m_run->builder.takeSearchState(searchState);
    publish();
    if (isRecommendationNew)
        emit occurred(RecommendationChanged{*snapshot().searchState.recommendation});
}

void Exploration::endIfSearchHasEnded()
{
    if (state() == State::Finishing)
        return;
    if (const auto status = finishStatusOf(snapshot().searchState.status))
        conclude(*status);
    else if (m_run->onlyVerifies || leavesTimeToVerifyAlone()) {
        m_run->onlyVerifies = true;
        conclude(FinishStatus::Budget);
    } else
        m_run->verifier.dropUnlessRunning(snapshot());
}

/// Whether the time budget would end before the verification did if one more trial were run. Half of the
/// budget is the search's, however long a worker takes to start.
bool Exploration::leavesTimeToVerifyAlone() const
{
    if (!m_run->budget.isActive() || !m_run->verifier.isDue(snapshot(), *m_run->pool))
        return false;
    const double needed = Verifier::neededSeconds(snapshot(), m_run->startUpSeconds);
    const std::chrono::duration<double> left = m_run->budget.remaining();
    return left.count() <
           std::min(needed + snapshot().trials.back().wallSeconds, *m_run->budgetSeconds / 2.0);
}

/// Ends a search with its result, after a verification if one is due.
void Exploration::conclude(FinishStatus status)
{
    // A trial of another device may have ended after all and shown that another size is better.
    if (m_run->verifier.isUnderWay() && !m_run->verifier.isOvertaken(snapshot()))
        return;
    // Verifications do not count against the trial budget.
    if (!m_run->verifier.isDue(snapshot(), *m_run->pool))
        return finish(status);
    m_run->conclusion = status;
    m_run->verifier.begin(snapshot());
    m_run->builder.setVerification(m_run->verifier.verification());
    m_run->builder.setState(State::Verifying);
    publish();
    startTrials();
}

/// Advances the verification under way by one step, as far as its device allows.
void Exploration::verify()
{
    if (!m_run->verifier.isUnderWay() || state() != State::Verifying)
        return;
    DeviceRunner* runner = m_run->pool->usableRunner(m_run->verifier.device());
    if (!runner)
        return finish(m_run->conclusion);
    if (holdForPause() || !runner->isFree())
        return;
    if (runner->trialsOfWorker() == 0)
        return startTrial(*runner, m_run->verifier.proposal(), m_run->verifier.repetition());
    runner->renew();
    publish();
}

void Exploration::judgeVerification(const DeviceSnapshot& device, const TrialReading& reading)
{
    const bool mayRepeat = !m_run->restlessDevices.contains(device.id);
    const auto lesson = m_run->verifier.judge(reading, device, mayRepeat);
    if (m_run->verifier.isUnderWay())
        m_run->builder.logFollowUp(reading.trial, FollowUp::Repeated);
    else
        m_run->builder.setVerification(m_run->verifier.verification());
    const auto act = [this](const search::SearchState& searchState) {
        takeSearchState(searchState);
        // A verification that is to be repeated does not decide anything yet.
        if (!m_run->verifier.isUnderWay())
            endIfSearchHasEnded();
        startTrials();
    };
    if (!lesson)
        return askSearch([](const TrialPlanner& planner) { return planner.searchState(); }, act);
    tellSearch(
        {.kind = PlannerCall::Kind::VerificationEnded, .trial = reading.trial.number, .measurement = *lesson},
        act);
}

void Exploration::stop()
{
    finish(FinishStatus::Cancelled);
}

void Exploration::remark(LogLevel level, const QString& text)
{
    if (isIdle())
        return;
    m_run->builder.log(level, text);
    publish();
}

void Exploration::setNumberInHistory(qint64 number)
{
    if (isIdle())
        return;
    const bool isNew = snapshot().numberInHistory != number;
    m_run->builder.setNumberInHistory(number);
    emit snapshotChanged(snapshot());
    if (isNew && number > 0)
        emit occurred(Recorded{.exploration = number});
}

void Exploration::finish(FinishStatus status, const QString& failure)
{
    if (isIdle() || state() == State::Finishing || hasEnded())
        return;
    const bool isCutShort =
        status == FinishStatus::Budget && m_run->pool && m_run->verifier.isDue(snapshot(), *m_run->pool);
    if (isCutShort && !m_run->verifier.isUnderWay())
        m_run->verifier.begin(snapshot());
    if (m_run->verifier.isUnderWay()) {
        m_run->verifier.giveUp();
        m_run->builder.setVerification(m_run->verifier.verification());
    }
    leavePause();
    m_run->status = status;
    m_run->failure = failure;
    m_run->builder.setState(State::Finishing);
    m_run->builder.setPauseRequested(false);
    m_run->budget.stop();
    publish();
    if (m_run->pool)
        m_run->pool->end();
    else
        QTimer::singleShot(0, this, &Exploration::endSearch);
}

/// Ends the exploration since trials cannot be run. What was found before it was continued stands.
void Exploration::fail(const QString& failure)
{
    finish(m_run->before.value_or(FinishStatus::Failed), failure);
}

/// Ends the search. No trial is running any more, and the search is told of no other.
void Exploration::endSearch()
{
    if (!m_run->planner)
        return reportEnd(false);
    struct FinalState
    {
        search::SearchState searchState;
        bool canContinue = false;
    };
    askSearch(
        [](TrialPlanner& planner) {
            return FinalState{.searchState = planner.searchState(), .canContinue = planner.canContinue()};
        },
        [this](const FinalState& last) {
            takeSearchState(last.searchState);
            reportEnd(last.canContinue);
        });
}

/// \param hasMore  whether a continuation could run another trial
void Exploration::reportEnd(bool hasMore)
{
    const auto verdict = m_run->verifier.verdict(snapshot());
    const auto& told = snapshot().verification;
    if (verdict && !(told && told->size == verdict->size && told->outcome == verdict->outcome))
        m_run->builder.setVerification(verdict);
    const RunEnd end = runEndOf(m_run->status, snapshot(), m_run->plan.space.minimum, m_run->budgetSeconds);
    m_run->status = end.status;
    m_run->builder.setFailure(m_run->failure.isEmpty() ? end.failure : m_run->failure);
    m_run->tick.stop();
    publish();
    m_run->endSeconds = m_run->now();
    m_run->places.reset();
    const bool canContinue =
        hasMore && snapshot().searchState.recommendation && m_run->status != FinishStatus::NothingFits;
    m_run->builder.close(m_run->status, canContinue);
    Run* const run = m_run.get();
    run->lease.reset();
    emit snapshotChanged(snapshot());
    // A receiver of the signal may have begun another run.
    if (run == m_run.get())
        emit occurred(Finished{run->status});
}

void Exploration::tick()
{
    lookAtDevices();
    publish();
}

void Exploration::publish()
{
    m_run->builder.setPlaces(m_run->places && !hasEnded() && state() != State::Finishing
                                 ? m_run->places->pending()
                                 : std::vector<PlaceSnapshot>());
    // What is logged after the end no longer moves the clock.
    if (m_run->pool && !hasEnded()) {
        const bool onlyThinks = m_run->thinks() && !snapshot().runsTrials();
        m_run->builder.setThinkingSeconds(onlyThinks ? std::optional(m_run->now() - m_run->thinksSince)
                                                     : std::nullopt);
        m_run->builder.setStalledSeconds(m_run->stalls.stalledSeconds(m_run->now()));
        m_run->builder.setDevices(m_run->pool->snapshots());
        m_run->builder.takeTime(m_run->pausedAt.value_or(m_run->now()), m_run->budgetSeconds,
                                m_run->pool->usableDevices());
        m_run->builder.setCommands(commands());
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::engine

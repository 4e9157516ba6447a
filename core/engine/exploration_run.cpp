// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_run.h"

#include "exploration_error.h"
#include "failure_text.h"
#include "log_text.h"
#include "search_terms.h"
#include "trial_record.h"

#include <QCoreApplication>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace batchpeak::engine {

namespace {

constexpr std::chrono::seconds tickEvery{1};

} // namespace

ExplorationRun::ExplorationRun(ExplorationPlan plan, ExplorationOptions options,
                               const ExplorationParts& parts, QObject* parent)
    : QObject(parent),
      m_plan(std::move(plan)),
      m_options(std::move(options)),
      m_parts(parts),
      m_builder(m_plan.run),
      m_verifier(m_options.verify && m_plan.isSearch())
{
    connect(&m_tick, &QTimer::timeout, this, &ExplorationRun::tick);
    m_budget.setSingleShot(true);
    connect(&m_budget, &QTimer::timeout, this, [this] { finish(FinishStatus::Budget); });
}

void ExplorationRun::start()
{
    m_clock.start();
    m_tick.start(tickEvery);
    if (m_options.timeBudget)
        m_budget.start(*m_options.timeBudget);
    m_builder.setState(State::Starting);
    for (const QString& note : std::as_const(m_plan.notes))
        m_builder.say(LogLevel::Warning, note);
    try {
        m_devices = RunDevices(m_plan.load, m_options, m_parts);
        m_pool = std::make_unique<DevicePool>(m_devices.setups());
    } catch (const ExplorationError& error) {
        finish(FinishStatus::Failed, error.sentence());
        return;
    }
    connectPool();
    m_pool->start();
    publish();
}

void ExplorationRun::connectPool()
{
    DevicePool* pool = m_pool.get();
    connect(pool, &DevicePool::said, this, &ExplorationRun::remark);
    connect(pool, &DevicePool::deviceReady, this, [this](const DeviceSnapshot& device) {
        m_builder.say(LogLevel::Info, readyText(device));
        publish();
        emit deviceReady(device);
    });
    connect(pool, &DevicePool::settled, this, &ExplorationRun::beginTrials);
    connect(pool, &DevicePool::runnerFree, this, &ExplorationRun::startTrials);
    connect(pool, &DevicePool::deviceGivenUp, this, &ExplorationRun::loseDevice);
    connect(pool, &DevicePool::exhausted, this, [this] {
        // A search that has ended keeps its result.
        if (m_verifier.isUnderWay())
            finish(m_conclusion);
        else
            finish(FinishStatus::Failed, noDeviceText(m_pool->problem(), m_pool->lastLines()));
    });
    connect(pool, &DevicePool::stepTaken, this, &ExplorationRun::takeStep);
    connect(pool, &DevicePool::trialEnded, this, &ExplorationRun::endTrial);
    connect(pool, &DevicePool::ended, this, &ExplorationRun::reportEnd);
}

void ExplorationRun::beginTrials()
{
    if (state() != State::Starting)
        return;
    try {
        const search::SearchSpace space = spaceOn(m_pool->snapshots(), m_plan.space);
        m_planner =
            std::make_unique<TrialPlanner>(m_parts.makeStrategy(m_options.strategy.toStdString(), space),
                                           space.maxTrials, m_options.repeatDisturbed);
    } catch (const std::invalid_argument& error) {
        finish(FinishStatus::Failed, QString::fromUtf8(error.what()));
        return;
    }
    m_builder.setState(State::Exploring);
    startTrials();
}

void ExplorationRun::startTrials()
{
    if (m_verifier.isUnderWay())
        return verify();
    if (state() == State::Verifying)
        m_builder.resumeSearch();
    if (state() != State::Exploring || holdForPause())
        return;
    for (DeviceRunner* runner : m_pool->freeRunners()) {
        // Whoever heard of the trial before may have ended all.
        if (!runner->isFree())
            return;
        const QString device = runner->snapshot().id;
        const int repetition = m_planner->repetition(device);
        if (const auto proposal = m_planner->next(device))
            startTrial(*runner, *proposal, repetition);
        else if (!m_planner->expectsMore())
            return conclude(FinishStatus::Exhausted);
    }
}

/// \return whether a pause was asked for, so that no trial may start; it begins when none runs
bool ExplorationRun::holdForPause()
{
    const bool holds = snapshot().pauseRequested;
    if (holds && !m_planner->hasInFlight()) {
        m_builder.setState(State::Paused);
        m_builder.setPauseRequested(false);
        publish();
    }
    return holds;
}

void ExplorationRun::startTrial(DeviceRunner& runner, const search::Proposal& proposal, int repetition)
{
    const trial::TrialRequest request = requestFor(proposal, m_builder.nextTrial());
    m_stalls.trialStarted(request.id, now(), proposal.predictedWallSeconds);
    const TrialStart start{.device = runner.snapshot().id,
                           .predictedFit = proposal.predictedFit,
                           .isVerification = m_verifier.isUnderWay(),
                           .repetition = repetition};
    const TrialSnapshot started = m_builder.startTrial(request, start, now());
    runner.runTrial(request);
    publish();
    emit trialStarted(started);
}

void ExplorationRun::takeStep(const trial::Step& step)
{
    m_stalls.stepTaken(step.id, now(), step.seconds);
    m_builder.takeStep(step);
    publish();
}

void ExplorationRun::endTrial(const DeviceSnapshot& device, const trial::TrialResult& result, bool workerLost)
{
    const TrialSnapshot ended = m_builder.endTrial(result, device, now());
    m_stalls.trialEnded(result.id);

    bool isRecommendationNew = false;
    if (ended.state != TrialState::Cancelled) {
        search::Measurement measurement = measurementOf(ended, result, now());
        if (workerLost)
            measurement.outcome = search::Measurement::Outcome::Void;
        const TrialReading reading{.trial = ended, .measurement = std::move(measurement)};
        if (ended.isVerification)
            judgeVerification(device, reading);
        else
            m_builder.sayFollowUp(ended, m_planner->trialEnded(device.id, reading));
        isRecommendationNew = m_builder.takeSearchState(m_planner->searchState());
    }
    publish();
    emit trialFinished(ended);
    if (isRecommendationNew)
        emit recommendationChanged(*snapshot().searchState.recommendation);
    // A verification that is to be repeated changes nothing.
    if (!ended.isVerification || !m_verifier.isUnderWay())
        endIfSearchHasEnded();
    startTrials();
}

void ExplorationRun::loseDevice(const QString& device)
{
    // What it was to repeat may have been all that the other devices waited for.
    if (m_planner && m_planner->deviceLost(device)) {
        if (m_builder.takeSearchState(m_planner->searchState()))
            emit recommendationChanged(*snapshot().searchState.recommendation);
        endIfSearchHasEnded();
    }
    startTrials();
}

void ExplorationRun::endIfSearchHasEnded()
{
    if (state() == State::Finishing)
        return;
    if (const auto status = finishStatusOf(m_planner->searchState().status))
        conclude(*status);
    else
        m_verifier.dropUnlessRunning(snapshot());
}

/// Ends a search with its result, once that has been verified where it should be.
void ExplorationRun::conclude(FinishStatus status)
{
    // A trial of another device may have ended after all, and have shown another size to be better.
    if (m_verifier.isUnderWay() && !m_verifier.isOvertaken(snapshot()))
        return;
    const bool isComplete = status == FinishStatus::Confident || status == FinishStatus::Exhausted;
    if (!isComplete || !m_verifier.isDue(snapshot(), *m_pool))
        return finish(status);
    m_conclusion = status;
    m_verifier.begin(snapshot());
    m_builder.setVerification(m_verifier.verification());
    m_builder.setState(State::Verifying);
    publish();
    verify();
}

/// Takes the verification under way one step further, as far as its device allows.
void ExplorationRun::verify()
{
    if (!m_verifier.isUnderWay() || state() != State::Verifying)
        return;
    DeviceRunner* runner = m_pool->usableRunner(m_verifier.device());
    if (!runner)
        return finish(m_conclusion);
    if (!runner->isFree() || holdForPause())
        return;
    if (runner->trialsOfWorker() == 0)
        return startTrial(*runner, m_verifier.proposal(), m_verifier.repetition());
    runner->renew();
    publish();
}

void ExplorationRun::judgeVerification(const DeviceSnapshot& device, const TrialReading& reading)
{
    if (const auto lesson = m_verifier.judge(reading, device, m_planner->repeatsOn(device.id)))
        m_planner->verificationEnded(*lesson);
    if (m_verifier.isUnderWay())
        m_builder.sayFollowUp(reading.trial, FollowUp::Repeated);
    else
        m_builder.setVerification(m_verifier.verification());
}

void ExplorationRun::pause()
{
    if ((state() != State::Exploring && state() != State::Verifying) || snapshot().pauseRequested)
        return;
    m_builder.setPauseRequested(true);
    m_builder.say(LogLevel::Info, tr("Pausing after the running trial."));
    publish();
    startTrials();
}

void ExplorationRun::resume()
{
    if (state() != State::Paused && !snapshot().pauseRequested)
        return;
    m_builder.setState(m_verifier.isUnderWay() ? State::Verifying : State::Exploring);
    m_builder.setPauseRequested(false);
    publish();
    startTrials();
}

void ExplorationRun::finish(FinishStatus status, const QString& failure)
{
    if (state() == State::Finishing || hasEnded())
        return;
    if (m_verifier.isUnderWay()) {
        m_verifier.giveUp();
        m_builder.setVerification(m_verifier.verification());
    }
    if (m_planner)
        m_planner->searchEnds();
    const bool isRecommendationNew = m_planner && m_builder.takeSearchState(m_planner->searchState());
    const Ending ending = endingOf(status, snapshot(), m_plan.space.minimum);
    m_status = ending.status;
    m_builder.setFailure(failure.isEmpty() ? ending.failure : failure);
    m_builder.setState(State::Finishing);
    m_builder.setPauseRequested(false);
    m_budget.stop();
    publish();
    if (isRecommendationNew)
        emit recommendationChanged(*snapshot().searchState.recommendation);
    if (m_pool)
        m_pool->end();
    else
        QTimer::singleShot(0, this, &ExplorationRun::reportEnd);
}

void ExplorationRun::reportEnd()
{
    if (hasEnded())
        return;
    m_tick.stop();
    publish();
    m_builder.close(m_status);
    emit snapshotChanged(snapshot());
    emit finished(m_status);
}

void ExplorationRun::tick()
{
    m_builder.setStalledSeconds(m_stalls.stalledSeconds(now()));
    if (m_pool)
        m_pool->updateTelemetry([this](std::size_t place) { return m_devices.telemetry(place); });
    publish();
}

void ExplorationRun::publish()
{
    // What is said after the end no longer moves its clock.
    if (m_pool && !hasEnded()) {
        m_builder.setDevices(m_pool->snapshots());
        m_builder.takeTime(
            now(), m_options.timeBudget ? std::optional<double>(m_options.timeBudget->count()) : std::nullopt,
            m_pool->usableDevices());
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::engine

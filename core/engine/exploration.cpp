// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration.h"

#include "device_pool.h"
#include "errors.h"
#include "exploration_plan.h"
#include "failure_text.h"
#include "log_text.h"
#include "run_devices.h"
#include "run_progress.h"
#include "snapshot_builder.h"
#include "trial_planner.h"
#include "trial_reading.h"
#include "verifier.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace batchpeak::engine {

namespace {

constexpr std::chrono::seconds tickEvery{1};

} // namespace

/// All that belongs to one run. The next one has its own, so that nothing of this one can reach into it.
struct Exploration::Run : public QObject
{
    Run(ExplorationPlan runPlan, ExplorationOptions runOptions)
        : plan(std::move(runPlan)),
          options(std::move(runOptions)),
          builder(plan.run),
          verifier(options.verify && plan.isSearch())
    {}
    double now() const { return static_cast<double>(clock.nsecsElapsed()) * 1e-9; }

    /// From the start to the end. Before all others, so that it outlives the workers.
    DeviceLease::Hold lease;
    const ExplorationPlan plan;
    const ExplorationOptions options;
    SnapshotBuilder builder;
    std::unique_ptr<TrialPlanner> planner;
    bool comparesSizes = false;
    std::unique_ptr<DevicePool> pool;
    RunDevices devices;
    Verifier verifier;
    /// How the search had ended when the verification began.
    FinishStatus conclusion = FinishStatus::Failed;
    StallWatch stalls;
    QElapsedTimer clock;
    QTimer tick;
    QTimer budget;
    /// Of all that it is under way, and when it ended last [s].
    std::optional<double> budgetSeconds;
    double endSeconds = 0.0;
    /// How it had ended before it went on.
    std::optional<FinishStatus> before;
    /// How all ends, once it is being ended.
    FinishStatus status = FinishStatus::Failed;
};

Exploration::Exploration(ExplorationParts parts, QObject* parent) : QObject(parent), m_parts(std::move(parts))
{}

Exploration::~Exploration() = default;

const Snapshot& Exploration::snapshot() const
{
    static const Snapshot nothingLoaded;
    return m_run ? m_run->builder.snapshot() : nothingLoaded;
}

void Exploration::load(const QString& filePath, const config::ConfigContents& contents,
                       const ExplorationOptions& options)
{
    if (snapshot().isUnderWay())
        return;
    setRun(std::make_unique<Run>(planExploration(filePath, contents, options), options));
    emit snapshotChanged(snapshot());
}

/// The present call may come from a slot of the old run's last signal, so that it outlives the call.
void Exploration::setRun(std::unique_ptr<Run> run)
{
    std::swap(m_run, run);
    if (!run)
        return;
    if (run->pool)
        run->pool->disconnect(this);
    run.release()->deleteLater();
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
    // Whoever heard of it may have ended all.
    if (state() == State::Starting)
        begin();
}

void Exploration::begin()
{
    connect(&m_run->tick, &QTimer::timeout, this, &Exploration::tick);
    m_run->budget.setSingleShot(true);
    connect(&m_run->budget, &QTimer::timeout, this, [this] { finish(FinishStatus::Budget); });
    m_run->clock.start();
    if (m_run->options.timeBudget) {
        m_run->budget.start(*m_run->options.timeBudget);
        m_run->budgetSeconds = m_run->options.timeBudget->count();
    }
    for (const QString& note : m_run->plan.notes)
        m_run->builder.log(LogLevel::Warning, note);
    openDevices();
}

void Exploration::openDevices()
{
    m_run->tick.start(tickEvery);
    try {
        m_run->devices = RunDevices(m_run->plan.load, m_run->options, m_parts);
        m_run->pool = std::make_unique<DevicePool>(m_run->devices.setups());
    } catch (const ExplorationError& error) {
        fail(error.sentence());
        return;
    }
    connectPool();
    m_run->pool->start();
    publish();
}

bool Exploration::canGoOn() const
{
    return m_run->planner && m_run->plan.isSearch() && snapshot().searchState.recommendation &&
           m_run->status != FinishStatus::NothingFits;
}

void Exploration::goOn(const MoreEffort& more)
{
    if (!snapshot().canGoOn)
        return;
    m_run->lease = m_parts.lease->take(DeviceLease::Holder::Exploration);
    m_run->before = m_run->status;
    m_run->builder.reopen(m_run->now() - m_run->endSeconds);
    m_run->verifier = Verifier(m_run->options.verify);
    m_run->budgetSeconds.reset();
    if (more.time) {
        m_run->budget.start(*more.time);
        m_run->budgetSeconds = snapshot().elapsedSeconds + static_cast<double>(more.time->count());
    }
    // The present call may come from a slot of its last signal.
    if (DevicePool* const ended = m_run->pool.release()) {
        ended->disconnect(this);
        ended->deleteLater();
    }
    m_run->planner->goOn(more.trials);
    m_run->builder.takeSearchState(m_run->planner->searchState());
    const auto seconds = more.time ? std::optional<double>(more.time->count()) : std::nullopt;
    emit occurred(WentOn{.moreTrials = more.trials, .seconds = seconds});
    // Whoever heard of it may have ended all.
    if (state() == State::Starting)
        openDevices();
}

void Exploration::connectPool()
{
    DevicePool* pool = m_run->pool.get();
    connect(pool, &DevicePool::logged, this, &Exploration::remark);
    connect(pool, &DevicePool::deviceReady, this, [this](const DeviceSnapshot& device) {
        m_run->builder.log(LogLevel::Info, readyText(device));
        publish();
        emit occurred(DeviceReady{device});
    });
    connect(pool, &DevicePool::settled, this, &Exploration::beginTrials);
    connect(pool, &DevicePool::runnerFree, this, &Exploration::startTrials);
    connect(pool, &DevicePool::deviceGivenUp, this, &Exploration::loseDevice);
    connect(pool, &DevicePool::exhausted, this, [this] {
        // A search that has ended keeps its result.
        if (m_run->verifier.isUnderWay())
            finish(m_run->conclusion);
        else
            fail(noDeviceText(m_run->pool->problem(), m_run->pool->lastLines()));
    });
    connect(pool, &DevicePool::stepTaken, this, &Exploration::takeStep);
    connect(pool, &DevicePool::trialEnded, this, &Exploration::endTrial);
    connect(pool, &DevicePool::ended, this, &Exploration::reportEnd);
}

void Exploration::beginTrials()
{
    if (state() != State::Starting)
        return;
    const bool comparesSizes = m_run->pool->canCompare();
    if (!m_run->planner) {
        try {
            search::SearchSpace space = spaceOn(m_run->pool->snapshots(), m_run->plan.space);
            m_run->comparesSizes = space.comparesSizes = comparesSizes;
            m_run->planner = std::make_unique<TrialPlanner>(
                m_parts.makeStrategy(m_run->options.strategy.toStdString(), space), space.maxTrials,
                m_run->options.repeatDisturbed);
        } catch (const std::invalid_argument& error) {
            fail(QString::fromUtf8(error.what()));
            return;
        }
    } else if (m_run->comparesSizes && !comparesSizes) {
        fail(tr("The program that runs the trials is older than the one that ran them before; start the "
                "exploration anew."));
        return;
    }
    m_run->builder.setState(State::Exploring);
    startTrials();
}

void Exploration::startTrials()
{
    if (m_run->verifier.isUnderWay())
        return verify();
    if (state() == State::Verifying)
        m_run->builder.resumeSearch();
    if (state() != State::Exploring || holdForPause())
        return;
    for (DeviceRunner* runner : m_run->pool->freeRunners()) {
        // Whoever heard of the trial before may have ended all.
        if (!runner->isFree())
            return;
        const QString device = runner->snapshot().id;
        const int repetition = m_run->planner->repetition(device);
        if (const auto proposal = m_run->planner->next(device))
            startTrial(*runner, *proposal, repetition);
        else if (!m_run->planner->expectsMore())
            return conclude(FinishStatus::Exhausted);
    }
}

/// \return whether a pause was asked for, so that no trial may start; it begins when none runs
bool Exploration::holdForPause()
{
    const bool holds = snapshot().pauseRequested;
    if (holds && !m_run->planner->hasInFlight()) {
        m_run->builder.setState(State::Paused);
        m_run->builder.setPauseRequested(false);
        publish();
    }
    return holds;
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

    bool isRecommendationNew = false;
    if (ended.outcome != trial::Outcome::Cancelled) {
        const TrialReading reading{.trial = ended,
                                   .measurement = measurementOf(ended, result, workerLost, m_run->now())};
        if (ended.isVerification)
            judgeVerification(device, reading);
        else
            m_run->builder.logFollowUp(ended, m_run->planner->trialEnded(device.id, reading.measurement));
        isRecommendationNew = m_run->builder.takeSearchState(m_run->planner->searchState());
    }
    publish();
    emit occurred(TrialFinished{ended});
    if (isRecommendationNew)
        emit occurred(RecommendationChanged{*snapshot().searchState.recommendation});
    // A verification that is to be repeated changes nothing.
    if (!ended.isVerification || !m_run->verifier.isUnderWay())
        endIfSearchHasEnded();
    startTrials();
}

void Exploration::loseDevice(const QString& device)
{
    // What it was to repeat may have been all that the other devices waited for.
    if (m_run->planner)
        m_run->planner->deviceLost(device);
    startTrials();
}

void Exploration::endIfSearchHasEnded()
{
    if (state() == State::Finishing)
        return;
    if (const auto status = finishStatusOf(m_run->planner->searchState().status))
        conclude(*status);
    else
        m_run->verifier.dropUnlessRunning(snapshot());
}

/// Ends a search with its result, once that has been verified where it should be.
void Exploration::conclude(FinishStatus status)
{
    // A trial of another device may have ended after all, and have shown another size to be better.
    if (m_run->verifier.isUnderWay() && !m_run->verifier.isOvertaken(snapshot()))
        return;
    const bool isComplete = status == FinishStatus::Confident || status == FinishStatus::Exhausted;
    if (!isComplete || !m_run->verifier.isDue(snapshot(), *m_run->pool))
        return finish(status);
    m_run->conclusion = status;
    m_run->verifier.begin(snapshot());
    m_run->builder.setVerification(m_run->verifier.verification());
    m_run->builder.setState(State::Verifying);
    publish();
    verify();
}

/// Takes the verification under way one step further, as far as its device allows.
void Exploration::verify()
{
    if (!m_run->verifier.isUnderWay() || state() != State::Verifying)
        return;
    DeviceRunner* runner = m_run->pool->usableRunner(m_run->verifier.device());
    if (!runner)
        return finish(m_run->conclusion);
    if (!runner->isFree() || holdForPause())
        return;
    if (runner->trialsOfWorker() == 0)
        return startTrial(*runner, m_run->verifier.proposal(), m_run->verifier.repetition());
    runner->renew();
    publish();
}

void Exploration::judgeVerification(const DeviceSnapshot& device, const TrialReading& reading)
{
    if (const auto lesson = m_run->verifier.judge(reading, device, m_run->planner->repeatsOn(device.id)))
        m_run->planner->verificationEnded(*lesson);
    if (m_run->verifier.isUnderWay())
        m_run->builder.logFollowUp(reading.trial, FollowUp::Repeated);
    else
        m_run->builder.setVerification(m_run->verifier.verification());
}

void Exploration::pause()
{
    if ((state() != State::Exploring && state() != State::Verifying) || snapshot().pauseRequested)
        return;
    m_run->builder.setPauseRequested(true);
    m_run->builder.log(LogLevel::Info, tr("Pausing after the running trial."));
    publish();
    startTrials();
}

void Exploration::resume()
{
    if (state() != State::Paused && !snapshot().pauseRequested)
        return;
    m_run->builder.setState(m_run->verifier.isUnderWay() ? State::Verifying : State::Exploring);
    m_run->builder.setPauseRequested(false);
    publish();
    startTrials();
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

void Exploration::finish(FinishStatus status, const QString& failure)
{
    if (isIdle() || state() == State::Finishing || hasEnded())
        return;
    if (m_run->verifier.isUnderWay()) {
        m_run->verifier.giveUp();
        m_run->builder.setVerification(m_run->verifier.verification());
    }
    const RunEnd end = runEndOf(status, snapshot(), m_run->plan.space.minimum);
    m_run->status = end.status;
    m_run->builder.setFailure(failure.isEmpty() ? end.failure : failure);
    m_run->builder.setState(State::Finishing);
    m_run->builder.setPauseRequested(false);
    m_run->budget.stop();
    publish();
    if (m_run->pool)
        m_run->pool->end();
    else
        QTimer::singleShot(0, this, &Exploration::reportEnd);
}

/// Trials cannot be run. What was found before it went on stands.
void Exploration::fail(const QString& failure)
{
    finish(m_run->before.value_or(FinishStatus::Failed), failure);
}

void Exploration::reportEnd()
{
    if (hasEnded())
        return;
    m_run->tick.stop();
    publish();
    m_run->endSeconds = m_run->now();
    m_run->builder.close(m_run->status, canGoOn());
    Run* const run = m_run.get();
    run->lease.reset();
    emit snapshotChanged(snapshot());
    // Whoever saw the end may have begun another run.
    if (run == m_run.get())
        emit occurred(Finished{run->status});
}

void Exploration::tick()
{
    m_run->builder.setStalledSeconds(m_run->stalls.stalledSeconds(m_run->now()));
    if (m_run->pool)
        m_run->pool->updateTelemetry([this](std::size_t place) { return m_run->devices.telemetry(place); });
    publish();
}

void Exploration::publish()
{
    // What is said after the end no longer moves its clock.
    if (m_run->pool && !hasEnded()) {
        m_run->builder.setDevices(m_run->pool->snapshots());
        m_run->builder.takeTime(m_run->now(), m_run->budgetSeconds, m_run->pool->usableDevices());
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_run.h"

#include "device_choice.h"
#include "exploration_error.h"
#include "failure_text.h"
#include "log_text.h"
#include "search_terms.h"
#include "trial_record.h"
#include "worker_location.h"

#include <QCoreApplication>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace batchpeak::engine {

namespace {

constexpr std::chrono::seconds tickEvery{1};

bool speaksOfMemory(const TrialSnapshot& trial)
{
    return trial.state == TrialState::OutOfMemory || trial.state == TrialState::Unsupported ||
           trial.thrashes || !trial.withinHeadroom;
}

bool needsResult(FinishStatus status)
{
    return status == FinishStatus::Exhausted || status == FinishStatus::Budget;
}

} // namespace

ExplorationRun::ExplorationRun(ExplorationPlan plan, ExplorationOptions options,
                               const ExplorationParts& parts, QObject* parent)
    : QObject(parent),
      m_plan(std::move(plan)),
      m_options(std::move(options)),
      m_parts(parts),
      m_book(m_plan.run)
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
    m_book.setState(State::Starting);
    for (const QString& note : std::as_const(m_plan.notes))
        m_book.say(LogLevel::Info, note);
    try {
        m_pool = std::make_unique<DevicePool>(deviceSetups());
    } catch (const ExplorationError& error) {
        finish(FinishStatus::Failed, error.sentence());
        return;
    }
    connectPool();
    m_pool->start();
    publish();
}

std::vector<DeviceSetup> ExplorationRun::deviceSetups()
{
    const auto devices = m_options.launcher.isEmpty()
                             ? chooseDevices(m_options.devices, m_parts.localDevices())
                             : devicesBehindLauncher(m_options.devices);
    std::vector<DeviceSetup> setups;
    for (const device::LocalDevice& device : devices) {
        setups.push_back({.id = QString::fromStdString(device.id()),
                          .command = workerCommand(m_options, device, QCoreApplication::applicationDirPath()),
                          .load = m_plan.load,
                          .memoryLimitBytes = m_options.memoryLimitBytes,
                          .headroom = m_options.headroom,
                          .timeouts = m_parts.timeouts});
        m_uuids.push_back(device.uuid);
    }
    return setups;
}

void ExplorationRun::connectPool()
{
    DevicePool* pool = m_pool.get();
    connect(pool, &DevicePool::said, this, &ExplorationRun::remark);
    connect(pool, &DevicePool::deviceReady, this, [this](const DeviceSnapshot& device) {
        m_book.say(LogLevel::Info, readyText(device));
        publish();
        emit deviceReady(device);
    });
    connect(pool, &DevicePool::settled, this, &ExplorationRun::beginTrials);
    connect(pool, &DevicePool::runnerFree, this, &ExplorationRun::startTrials);
    connect(pool, &DevicePool::exhausted, this,
            [this] { finish(FinishStatus::Failed, noDeviceText(m_pool->problem(), m_pool->lastLines())); });
    connect(pool, &DevicePool::stepTaken, this, &ExplorationRun::takeStep);
    connect(pool, &DevicePool::trialEnded, this, &ExplorationRun::endTrial);
    connect(pool, &DevicePool::ended, this, &ExplorationRun::reportEnd);
}

void ExplorationRun::beginTrials()
{
    if (state() != State::Starting)
        return;
    try {
        m_planner = std::make_unique<TrialPlanner>(m_parts.makeStrategy(
            m_options.strategy.toStdString(), spaceOn(m_pool->snapshots(), m_plan.space)));
    } catch (const std::invalid_argument& error) {
        finish(FinishStatus::Failed, QString::fromUtf8(error.what()));
        return;
    }
    m_book.setState(State::Exploring);
    startTrials();
}

void ExplorationRun::startTrials()
{
    if (state() != State::Exploring)
        return;
    if (snapshot().pauseRequested) {
        if (!m_planner->hasInFlight()) {
            m_book.setState(State::Paused);
            m_book.setPauseRequested(false);
            publish();
        }
        return;
    }
    while (DeviceRunner* runner = m_pool->freeRunner()) {
        const auto proposal = m_planner->next();
        if (!proposal) {
            if (!m_planner->hasInFlight())
                finish(FinishStatus::Exhausted);
            return;
        }
        startTrial(*runner, *proposal);
    }
}

void ExplorationRun::startTrial(DeviceRunner& runner, const search::Proposal& proposal)
{
    const trial::TrialRequest request = requestFor(proposal, m_book.nextTrial());
    m_stalls.trialStarted(request.id, now(), proposal.predictedWallSeconds);
    const TrialSnapshot started =
        m_book.startTrial(request, runner.snapshot().id, proposal.predictedFit, now());
    runner.runTrial(request);
    publish();
    emit trialStarted(started);
}

void ExplorationRun::takeStep(const trial::Step& step)
{
    m_stalls.stepTaken(step.id, now(), step.seconds);
    m_book.takeStep(step);
    publish();
}

void ExplorationRun::endTrial(const DeviceSnapshot& device, const TrialEnd& end)
{
    const TrialSnapshot ended = m_book.endTrial(end.result, device, now());
    m_stalls.trialEnded(end.result.id);

    bool isRecommendationNew = false;
    if (ended.state != TrialState::Cancelled) {
        search::Measurement measurement = measurementOf(ended, end.result, now());
        if (end.workerLost)
            measurement.outcome = search::Measurement::Outcome::Void;
        if (m_planner->trialEnded(measurement))
            m_book.say(LogLevel::Info, tr("%1 is tried once more.").arg(ended.microBatchSize));
        isRecommendationNew = m_book.takeOutlook(m_planner->outlook());
    }
    publish();
    emit trialFinished(ended);
    if (isRecommendationNew)
        emit recommendationChanged(*snapshot().outlook.recommendation);
    endIfSearchHasEnded();
    startTrials();
}

void ExplorationRun::endIfSearchHasEnded()
{
    using Status = search::Outlook::Status;
    switch (m_planner->outlook().status) {
    case Status::Searching:
        return;
    case Status::Confident:
        return finish(FinishStatus::Confident);
    case Status::Exhausted:
        return finish(FinishStatus::Exhausted);
    case Status::Budget:
        return finish(FinishStatus::Budget);
    case Status::NothingFits:
        return finish(FinishStatus::NothingFits);
    }
}

void ExplorationRun::pause()
{
    if (state() != State::Exploring || snapshot().pauseRequested)
        return;
    m_book.setPauseRequested(true);
    m_book.say(LogLevel::Info, tr("Pausing after the running trial."));
    publish();
    startTrials();
}

void ExplorationRun::resume()
{
    if (state() != State::Paused && !snapshot().pauseRequested)
        return;
    m_book.setState(State::Exploring);
    m_book.setPauseRequested(false);
    publish();
    startTrials();
}

void ExplorationRun::stop()
{
    finish(FinishStatus::Cancelled);
}

void ExplorationRun::remark(LogLevel level, const QString& text)
{
    m_book.say(level, text);
    publish();
}

void ExplorationRun::finish(FinishStatus status, const QString& failure)
{
    if (state() == State::Finishing || hasEnded())
        return;
    m_status = status;
    m_book.setFailure(failure);
    if (status == FinishStatus::NothingFits && std::ranges::any_of(snapshot().trials, speaksOfMemory)) {
        m_book.setFailure(nothingFitsText(snapshot(), m_plan.space.minimum));
    } else if (status == FinishStatus::NothingFits ||
               (needsResult(status) && !snapshot().outlook.recommendation)) {
        m_status = FinishStatus::Failed;
        m_book.setFailure(noResultText(snapshot()));
    }
    m_book.setState(State::Finishing);
    m_book.setPauseRequested(false);
    m_budget.stop();
    publish();
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
    m_book.close(m_status);
    emit snapshotChanged(snapshot());
    emit finished(m_status);
}

void ExplorationRun::tick()
{
    m_book.setStalledSeconds(m_stalls.stalledSeconds(now()));
    if (m_pool) {
        m_pool->updateTelemetry([this](std::size_t place) -> Telemetry {
            if (m_uuids[place].empty())
                return {};
            const device::DeviceReadings readings = m_parts.readingsOf(m_uuids[place]);
            return {.utilizationPercent = readings.utilizationPercent,
                    .temperatureCelsius = readings.temperatureCelsius,
                    .clockMegahertz = readings.clockMegahertz};
        });
    }
    publish();
}

void ExplorationRun::publish()
{
    // What is said after the end no longer moves its clock.
    if (m_pool && !hasEnded()) {
        m_book.setDevices(m_pool->snapshots());
        m_book.takeTime(
            now(), m_options.timeBudget ? std::optional<double>(m_options.timeBudget->count()) : std::nullopt,
            m_pool->usableDevices());
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// How an exploration opens its places and devices, and what their loss means.

#include "exploration.h"
#include "exploration_run.h"
#include "log_text.h"
#include "snapshot/failure_text.h"
#include "text/errors.h"
#include "workers/spare_thread.h"

#include <QCoreApplication>

#include <chrono>
#include <memory>

namespace batchpeak::engine {

namespace {

constexpr std::chrono::seconds tickEvery{1};

} // namespace

/// Opens the places that the options name, then their devices.
void Exploration::openPlaces()
{
    m_run->tick.start(tickEvery);
    m_run->places.reset();
    if (namesOnlyPrefixes(m_run->options))
        return openDevices();
    m_run->places = m_parts.session;
    const bool isLost = m_parts.session && m_parts.session->isLost();
    const bool isNew = !m_parts.session || isLost;
    if (isNew)
        m_run->places =
            std::make_shared<PlaceSession>(m_run->options, QCoreApplication::applicationDirPath());
    PlaceSession* const places = m_run->places.get();
    // The session may be that of the exploration before.
    places->disconnect(this);
    connect(places, &PlaceSession::logged, this, &Exploration::remark);
    connect(places, &PlaceSession::connectionChanged, this, [this](const PlaceSnapshot& place) {
        publish();
        emit occurred(ConnectionChanged{.name = place.name, .connection = place.connection});
    });
    connect(places, &PlaceSession::opened, this, &Exploration::openDevices);
    connect(places, &PlaceSession::failed, this, &Exploration::fail);
    connect(places, &PlaceSession::lost, this,
            [this](const QString& sentence) { fail(lostPlaceText(sentence, !snapshot().trials.empty())); });
    if (isNew)
        places->open();
    else if (places->problem().isEmpty())
        return openDevices();
    else
        return fail(places->problem());
    publish();
}

void Exploration::openDevices()
{
    if (state() != State::Starting)
        return;
    try {
        ExplorationParts parts = m_parts;
        parts.session = m_run->places;
        m_run->devices = RunDevices(m_run->plan.load, m_run->options, parts);
        m_run->pool = std::make_unique<DevicePool>(deviceSetups());
        m_run->telemetry = std::make_unique<BackgroundThread>();
    } catch (const ExplorationError& error) {
        if (dynamic_cast<const UnusableGpuError*>(&error))
            m_run->builder.setGpuUnusable();
        fail(error.sentence());
        return;
    }
    if (!m_run->telemetry->makeThread())
        m_run->builder.log(LogLevel::Warning, noThreadText(tr("Nothing is read of the devices meanwhile.")));
    connectPool();
    m_run->pool->start();
    lookAtDevices();
    publish();
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
    connect(pool, &DevicePool::connectionChanged, this, [this](const DeviceSnapshot& device) {
        publish();
        emit occurred(ConnectionChanged{.name = device.id, .connection = device.connection});
    });
    connect(pool, &DevicePool::ready, this, &Exploration::beginTrials);
    connect(pool, &DevicePool::runnerFree, this, &Exploration::startTrials);
    connect(pool, &DevicePool::rested, this, [this] {
        m_run->builder.setDevicesAreFree(true);
        m_run->builder.log(LogLevel::Info, tr("The workers have ended, so that other programs can use the "
                                              "devices. Resume starts them again."));
        publish();
    });
    connect(pool, &DevicePool::deviceGivenUp, this, &Exploration::loseDevice);
    connect(pool, &DevicePool::exhausted, this, &Exploration::endWithoutDevices);
    connect(pool, &DevicePool::stepTaken, this, &Exploration::takeStep);
    connect(pool, &DevicePool::trialEnded, this, &Exploration::endTrial);
    connect(pool, &DevicePool::ended, this, &Exploration::endSearch);
}

void Exploration::loseDevice(const QString& device)
{
    if (!m_run->planner)
        return;
    // The trial that the device was to repeat may have been all that the search, or another device, waited
    // for.
    tellSearch({.kind = PlannerCall::Kind::DeviceLost, .device = device},
               [this](const search::SearchState& searchState) { actOn(searchState); });
}

void Exploration::endWithoutDevices()
{
    const auto end = [this] {
        // A search that has ended keeps its result.
        if (m_run->verifier.isUnderWay())
            finish(m_run->conclusion);
        else
            fail(m_run->pool->isUnreachable()
                     ? lostPlaceText(m_run->pool->problem(), !snapshot().trials.empty())
                     : noDeviceText(m_run->pool->problem(), m_run->pool->lastLines()));
    };
    if (!m_run->planner)
        return end();
    // The measurement that the search is being told may be the last one that it needs.
    askSearch([](const TrialPlanner& /*planner*/) {}, end);
}

void Exploration::lookAtDevices()
{
    if (!m_run->telemetry || !m_run->pool)
        return;
    std::vector<std::int64_t> workers;
    for (const DeviceSnapshot& device : m_run->pool->snapshots())
        workers.push_back(device.workerPid);
    m_run->devices.readTelemetry(*m_run->telemetry, workers,
                                 [run = m_run.get()](const std::vector<Telemetry>& readings) {
                                     if (run->pool)
                                         run->pool->setTelemetry(readings);
                                 });
}

} // namespace batchpeak::engine

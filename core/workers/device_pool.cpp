// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_pool.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace batchpeak::engine {

DevicePool::DevicePool(const std::vector<DeviceSetup>& setups, QObject* parent) : QObject(parent)
{
    for (const DeviceSetup& setup : setups)
        add(setup);
}

DevicePool::~DevicePool()
{
    for (DeviceRunner* runner : m_runners)
        runner->killAtOnce();
}

void DevicePool::add(const DeviceSetup& setup)
{
    auto* runner = new DeviceRunner(setup, this);
    m_runners.push_back(runner);
    connect(runner, &DeviceRunner::logged, this, &DevicePool::logged);
    connect(runner, &DeviceRunner::connectionChanged, this,
            [this, runner] { emit connectionChanged(runner->snapshot()); });
    connect(runner, &DeviceRunner::stepTaken, this, &DevicePool::stepTaken);
    connect(runner, &DeviceRunner::trialEnded, this,
            [this, runner](const trial::TrialResult& result, bool workerLost, double workerSeconds) {
                emit trialEnded(runner->snapshot(), result, workerLost, workerSeconds);
            });
    connect(runner, &DeviceRunner::ready, this, [this, runner] {
        if (std::ranges::find(m_shown, runner) == m_shown.end()) {
            m_shown.push_back(runner);
            emit deviceReady(runner->snapshot());
        }
        reportIfReady();
        emit runnerFree();
    });
    connect(runner, &DeviceRunner::gaveUp, this, [this, runner] {
        emit deviceGivenUp(runner->snapshot().id);
        if (usableDevices() == 0)
            emit exhausted();
        else
            reportIfReady();
    });
    connect(runner, &DeviceRunner::rested, this, [this] {
        const auto hasNone = [](const DeviceRunner* other) {
            return other->isGivenUp() || other->isAtRest();
        };
        if (std::ranges::all_of(m_runners, hasNone))
            emit rested();
    });
    connect(runner, &DeviceRunner::ended, this, [this] {
        if (std::ranges::all_of(m_runners, &DeviceRunner::hasEnded))
            emit ended();
    });
}

void DevicePool::reportIfReady()
{
    const auto isKnown = [this](const DeviceRunner* runner) {
        return runner->isGivenUp() || std::ranges::find(m_shown, runner) != m_shown.end();
    };
    if (m_isSettled || !std::ranges::all_of(m_runners, isKnown))
        return;
    m_isSettled = true;
    emit ready();
}

void DevicePool::start()
{
    for (DeviceRunner* runner : m_runners)
        runner->start();
}

void DevicePool::rest()
{
    for (DeviceRunner* runner : m_runners)
        runner->rest();
}

void DevicePool::wake()
{
    for (DeviceRunner* runner : m_runners)
        runner->wake();
}

void DevicePool::end()
{
    if (std::ranges::all_of(m_runners, &DeviceRunner::hasEnded)) {
        emit ended();
        return;
    }
    for (DeviceRunner* runner : m_runners)
        runner->end();
}

std::vector<DeviceRunner*> DevicePool::freeRunners() const
{
    std::vector<DeviceRunner*> runners;
    std::ranges::copy_if(m_runners, std::back_inserter(runners), &DeviceRunner::isFree);
    return runners;
}

DeviceRunner* DevicePool::usableRunner(const QString& id) const
{
    const auto place = std::ranges::find_if(m_runners, [&](const DeviceRunner* runner) {
        return runner->snapshot().id == id && !runner->hasEnded();
    });
    return place == m_runners.end() ? nullptr : *place;
}

int DevicePool::usableDevices() const
{
    return static_cast<int>(std::ranges::count_if(m_runners, std::not_fn(&DeviceRunner::isGivenUp)));
}

bool DevicePool::canCompare() const
{
    return std::ranges::all_of(
        m_runners, [](const DeviceRunner* runner) { return runner->isGivenUp() || runner->canCompare(); });
}

std::vector<DeviceSnapshot> DevicePool::snapshots() const
{
    std::vector<DeviceSnapshot> snapshots;
    for (const DeviceRunner* runner : m_runners)
        snapshots.push_back(runner->snapshot());
    return snapshots;
}

QString DevicePool::problem() const
{
    return m_runners.empty() ? QString() : m_runners.back()->problem();
}

QStringList DevicePool::lastLines() const
{
    return m_runners.empty() ? QStringList() : m_runners.back()->lastLines();
}

} // namespace batchpeak::engine

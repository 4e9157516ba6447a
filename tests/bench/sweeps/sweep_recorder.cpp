// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_recorder.h"

#include "device/local_device.h"
#include "files/config_file.h"
#include "workers/run_devices.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

using namespace batchpeak;

namespace {

constexpr double timeLimitSeconds = 300.0;

} // namespace

SweepSetup planSweep(const QString& configPath, const engine::ExplorationOptions& options)
{
    const auto plan =
        engine::planExploration(configPath, engine::ConfigFile::open(configPath).contents(), options);
    const auto device = engine::chooseDevices(options.devices, device::localDevices()).front();
    return {.plan = plan,
            .device = {.id = QString::fromStdString(device.id()),
                       .command = engine::workerCommand(options, engine::DeviceGroup{.device = device},
                                                        QCoreApplication::applicationDirPath()),
                       .load = plan.load,
                       .memoryLimitBytes = options.memoryLimitBytes,
                       .headroom = options.headroom}};
}

std::vector<std::int64_t> sweepGrid(std::int64_t largest, double ratio)
{
    constexpr std::int64_t defaultAlignment = 8;
    constexpr std::int64_t alignedUpTo = 64;
    std::vector<std::int64_t> sizes;
    std::int64_t next = 1;
    for (std::int64_t size = 1; size <= largest; ++size) {
        if (size < next && (size % defaultAlignment != 0 || size > alignedUpTo))
            continue;
        sizes.push_back(size);
        if (size >= next)
            next = std::max(size + 1, static_cast<std::int64_t>(ratio * static_cast<double>(size)));
    }
    return sizes;
}

std::vector<PlannedVisit> passesThrough(std::vector<std::int64_t> sizes, int first, int passes,
                                        search::RandomSource& random)
{
    std::vector<PlannedVisit> planned;
    for (int visit = first; visit < first + passes; ++visit) {
        if (visit > 1) {
            for (std::size_t i = sizes.size(); i > 1; --i)
                std::swap(sizes[i - 1],
                          sizes[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
        }
        for (const std::int64_t size : sizes)
            planned.push_back({.visit = visit, .size = size});
    }
    return planned;
}

SweepRecorder::SweepRecorder(const engine::DeviceSetup& setup, std::vector<PlannedVisit> planned,
                             std::function<void()> passEnded,
                             std::function<void(const QString& problem)> ended)
    : m_runner(setup), m_planned(std::move(planned)), m_passEnded(std::move(passEnded))
{
    m_clock.start();
    connect(&m_runner, &engine::DeviceRunner::ready, this, &SweepRecorder::startNext);
    connect(&m_runner, &engine::DeviceRunner::trialEnded, this, &SweepRecorder::take);
    connect(&m_runner, &engine::DeviceRunner::ended, this, [ended] { ended({}); });
    connect(&m_runner, &engine::DeviceRunner::gaveUp, this, [this, ended] { ended(m_runner.problem()); });
    QMetaObject::invokeMethod(&m_runner, &engine::DeviceRunner::start, Qt::QueuedConnection);
}

void SweepRecorder::stop()
{
    m_isStopped = true;
    m_runner.end();
}

void SweepRecorder::startNext()
{
    if (m_isStopped)
        return;
    while (m_next < m_planned.size() && m_planned[m_next].size >= m_smallestFailure)
        ++m_next;
    if (m_next >= m_planned.size()) {
        m_runner.end();
        return;
    }
    m_runner.runTrial({.id = static_cast<std::int64_t>(m_next) + 1,
                       .microBatchSize = m_planned[m_next].size,
                       .timeLimitSeconds = timeLimitSeconds});
}

void SweepRecorder::take(const trial::TrialResult& result)
{
    if (m_isStopped)
        return;
    const int visit = m_planned[m_next].visit;
    const double now = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
    const double timed = std::reduce(result.stepSeconds.begin(), result.stepSeconds.end()) +
                         result.steps * result.optimizerSeconds.value_or(0.0);
    m_rows.push_back({.visit = visit, .clockSeconds = now - timed, .result = result});
    if (result.outcome == trial::Outcome::OutOfMemory)
        m_smallestFailure = std::min(m_smallestFailure, result.microBatchSize);
    ++m_next;
    std::fprintf(stderr, "%zu of %zu: %lld %s %.5f s\n", m_next, m_planned.size(),
                 static_cast<long long>(result.microBatchSize), toText(result.outcome).data(),
                 result.secondsPerStep);
    if (m_next >= m_planned.size() || m_planned[m_next].visit != visit)
        m_passEnded();
    if (m_runner.isFree())
        startNext();
}

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Continues an exploration that was cut off with its program.
#include "exploration_run.h"
#include "history/past_exploration.h"
#include "text/readable_text.h"

#include <QDateTime>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace batchpeak::engine {

const InterruptedRun* Exploration::takenUp() const
{
    return m_run && m_run->cut ? &*m_run->cut : nullptr;
}

QString Exploration::resumeFrom(InterruptedRun run)
{
    if (!m_run || !isIdle())
        return {};
    if (run.stored.summary.info.loadRequest != snapshot().run->loadRequest) {
        return tr("Exploration %1 cannot continue with the same run: its network's file, the devices or "
                  "Batchpeak have changed since. Explore the config again.")
            .arg(run.stored.summary.id);
    }
    m_run->builder.restore(run);
    const QString continues = run.stored.summary.end
                                  ? tr("Exploration %1, which was stopped after %2, continues.")
                                  : tr("Exploration %1, which was interrupted after %2, continues.");
    m_run->builder.log(
        LogLevel::Info,
        continues.arg(run.stored.summary.id).arg(trialsText(static_cast<int>(run.stored.trials.size()))));
    m_run->cut = std::move(run);
    emit snapshotChanged(snapshot());
    return {};
}

/// Starts the clock. For an exploration that was cut off, the time since then counts as a pause, but the
/// clock includes it, since the device has had that time to change.
void Exploration::startClock()
{
    m_run->clock.start();
    if (m_run->options.timeBudget)
        m_run->budgetSeconds = m_run->options.timeBudget->count();
    if (m_run->cut && !m_run->cut->calls.empty()) {
        const PlannerCall& last = m_run->cut->calls.back();
        const auto since = static_cast<double>(QDateTime::currentMSecsSinceEpoch() - last.time) / 1000.0;
        m_run->secondsBefore = last.clockSeconds + std::max(since, 0.0);
        m_run->builder.addIdle(m_run->secondsBefore - last.elapsedSeconds);
        m_run->budgetSeconds = budgetAfter(*m_run->cut, m_run->budgetSeconds);
        m_run->builder.extend(0, m_run->budgetSeconds);
    }
    if (!m_run->budgetSeconds)
        return;
    const double left = *m_run->budgetSeconds - (m_run->cut ? snapshot().elapsedSeconds : 0.0);
    m_run->budget.start(std::chrono::milliseconds(std::llround(std::max(left, 0.0) * 1000.0)));
}

/// Returns the setups of the devices. A run that is continued uses the devices that it ran on; one that was
/// cut off may find less memory there.
std::vector<DeviceSetup> Exploration::deviceSetups() const
{
    std::vector<DeviceSetup> setups = m_run->devices.setups();
    for (DeviceSetup& setup : setups) {
        for (const DeviceSnapshot& device : snapshot().devices) {
            if (device.id == setup.id)
                setup.known = identityOf(device);
        }
        if (!m_run->cut)
            continue;
        for (const store::DeviceRecord& device : m_run->cut->stored.devices) {
            if (device.id == setup.id)
                setup.known = {.name = device.name, .uuid = device.uuid};
        }
    }
    return setups;
}

/// Tells a new search what the previous one was told.
void Exploration::resumeSearch()
{
    const std::vector<PlannerCall> calls = std::move(m_run->cut->calls);
    m_run->cut.reset();
    askSearch(
        [calls](TrialPlanner& planner) {
            applyAll(calls, planner);
            return planner.searchState();
        },
        [](const search::SearchState& /*searchState*/) {});
    const auto take = [this](const search::SearchState& searchState) { takeSearchState(searchState); };
    for (const QString& device : devicesUnderWay(calls))
        tellSearch({.kind = PlannerCall::Kind::GiveBack, .device = device}, take);
    auto recalled = recalledTrialsOf(calls, *snapshot().run);
    askSearch([](const TrialPlanner& planner) { return planner.searchState(); },
              [this, recalled = std::move(recalled)](const search::SearchState& searchState) {
                  if (searchState.recalledTrials > 0)
                      m_run->builder.takeRecalled(recalled);
                  actOn(searchState);
              });
}

} // namespace batchpeak::engine

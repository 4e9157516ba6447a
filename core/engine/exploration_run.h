// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration.h"
#include "history/trial_planner.h"
#include "plan/exploration_plan.h"
#include "run_progress.h"
#include "snapshot_builder.h"
#include "verifier.h"
#include "workers/background_thread.h"
#include "workers/device_pool.h"
#include "workers/long_timer.h"
#include "workers/run_devices.h"

#include <QDateTime>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QSet>
#include <QTimer>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace batchpeak::engine {

/// All that belongs to one run. The next one has its own, so that nothing of this one can reach into it.
struct Exploration::Run : public QObject
{
    Run(ExplorationPlan runPlan, ExplorationOptions runOptions)
        : plan(std::move(runPlan)),
          options(std::move(runOptions)),
          builder(plan.run),
          verifier(plan.run.isVerified)
    {}
    double now() const { return secondsBefore + static_cast<double>(clock.nsecsElapsed()) * 1e-9; }
    bool thinks() const { return thinking.isBusy(); }

    /// From the start to the end. Before all others, so that it outlives the workers.
    DeviceLease::Hold lease;
    const ExplorationPlan plan;
    const ExplorationOptions options;
    SnapshotBuilder builder;
    /// Nothing before the devices have shown what they have.
    std::unique_ptr<TrialPlanner> planner;
    /// Asks the planner, and nobody else does; before it ends, the answer under way is waited for.
    BackgroundThread thinking{std::nullopt};
    /// Since when it has been thinking [s]; of account while it does.
    double thinksSince = 0.0;
    /// It was thinking when trials could have been started.
    bool putsOffTrials = false;
    /// What earlier explorations measured is still to be read, and how long that is tried.
    bool recallsLater = false;
    QDeadlineTimer untilRecalled;
    /// Numbers of running trials that are canceled for a pause or for another size: they say nothing, and
    /// the search takes them for never proposed.
    std::set<std::int64_t> leaving;
    /// Devices on which the search repeats no more trials.
    QSet<QString> restlessDevices;
    bool comparesSizes = false;
    search::Abilities abilities;
    std::unique_ptr<DevicePool> pool;
    RunDevices devices;
    std::unique_ptr<BackgroundThread> telemetry;
    Verifier verifier;
    /// How the search had ended when the verification began.
    FinishStatus conclusion = FinishStatus::Failed;
    StallWatch stalls;
    /// Nothing where the exploration was begun by this program, or goes on already.
    std::optional<InterruptedRun> cut;
    QElapsedTimer clock;
    /// Of a cut exploration, from its start to the start of the clock.
    double secondsBefore = 0.0;
    /// Until the first workers held the network [s].
    double startUpSeconds = 0.0;
    /// The budget has time for a verification alone.
    bool onlyVerifies = false;
    QTimer tick;
    LongTimer budget;
    /// Since when it is paused [s], and what of the budget's time is kept for after that.
    std::optional<double> pausedAt;
    std::optional<std::chrono::milliseconds> budgetLeft;
    QTimer rest;
    /// Of all that it is under way, and when it ended last [s].
    std::optional<double> budgetSeconds;
    double endSeconds = 0.0;
    /// How it had ended before it went on.
    std::optional<FinishStatus> before;
    /// How all ends, once it is being ended; to be judged on what the search then knows.
    FinishStatus status = FinishStatus::Failed;
    QString failure;
};

/// All that follows from an answer happens in \p then; the present call returns at once.
/// \param work  changes nothing of what the planner says later: that is for tellSearch()
template<typename Work, typename Then>
void Exploration::askSearch(Work work, Then then)
{
    Run* const run = m_run.get();
    if (!run->thinks())
        run->thinksSince = run->now();
    auto ask = [planner = run->planner.get(), work = std::move(work)](const std::stop_token&) mutable {
        return work(*planner);
    };
    run->thinking.run(std::move(ask), [this, run, then = std::move(then)](const auto&... answer) {
        then(answer...);
        // It may have led to the end, and whoever heard of that may have begun another run.
        if (run == m_run.get() && run->putsOffTrials)
            startTrials();
    });
}

/// \param read  is given the planner after the call, and what it replied
template<typename Read, typename Then>
void Exploration::tellSearch(PlannerCall call, Read read, Then then)
{
    call.clockSeconds = m_run->now();
    call.elapsedSeconds = snapshot().elapsedSeconds;
    call.time = QDateTime::currentMSecsSinceEpoch();
    emit searchTold(call);
    askSearch(
        [call = std::move(call), read](TrialPlanner& planner) { return read(planner, apply(call, planner)); },
        std::move(then));
}

template<typename Then>
void Exploration::tellSearch(PlannerCall call, Then then)
{
    tellSearch(
        std::move(call),
        [](const TrialPlanner& planner, const PlannerReply& /*reply*/) { return planner.searchState(); },
        std::move(then));
}

} // namespace batchpeak::engine

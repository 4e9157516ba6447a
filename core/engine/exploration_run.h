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
#include "workers/place_session.h"
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

/// Everything that belongs to one run. The next run has its own object, so that nothing of this one can
/// affect it.
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

    /// Held from the start to the end. It is declared before all others so that it outlives the workers.
    DeviceLease::Hold lease;
    const ExplorationPlan plan;
    const ExplorationOptions options;
    SnapshotBuilder builder;
    /// Null until the devices have reported what they have.
    std::unique_ptr<TrialPlanner> planner;
    /// The only thread that uses the planner. Its destructor waits for the answer under way.
    BackgroundThread thinking{std::nullopt};
    /// Time at which it began thinking [s]; meaningful only while it is thinking.
    double thinksSince = 0.0;
    /// Whether the search was thinking when trials could have been started.
    bool putsOffTrials = false;
    /// Whether the trials of earlier explorations are still to be read, and the deadline for trying.
    bool recallsLater = false;
    QDeadlineTimer untilRecalled;
    /// Numbers of running trials that are canceled for a pause or for another size: they say nothing, and the
    /// search treats them as never proposed.
    std::set<std::int64_t> leaving;
    /// Devices on which the search repeats no more trials.
    QSet<QString> restlessDevices;
    bool comparesSizes = false;
    search::Abilities abilities;
    std::unique_ptr<DevicePool> pool;
    RunDevices devices;
    /// Null for a run on devices of this computer.
    std::shared_ptr<PlaceSession> places;
    std::unique_ptr<BackgroundThread> telemetry;
    Verifier verifier;
    /// How the search had ended when the verification began.
    FinishStatus conclusion = FinishStatus::Failed;
    StallWatch stalls;
    /// Nothing if this program began the exploration, or if it has already been continued.
    std::optional<InterruptedRun> cut;
    QElapsedTimer clock;
    /// Seconds from the start of an exploration that was cut off to the start of the clock; 0 for others.
    double secondsBefore = 0.0;
    /// Time until the first workers had loaded the network [s].
    double startUpSeconds = 0.0;
    /// Whether the rest of the time budget suffices only for a verification.
    bool onlyVerifies = false;
    QTimer tick;
    LongTimer budget;
    /// Time at which the pause began [s], and the part of the time budget that remains after the pause.
    std::optional<double> pausedAt;
    std::optional<std::chrono::milliseconds> budgetLeft;
    QTimer rest;
    /// Time budget for everything while the exploration is under way, and the time at which it last ended
    /// [s].
    std::optional<double> budgetSeconds;
    double endSeconds = 0.0;
    /// How the exploration had ended before it was continued.
    std::optional<FinishStatus> before;
    /// How the exploration ends, once it is being ended; runEndOf() judges it by what the search then knows.
    FinishStatus status = FinishStatus::Failed;
    QString failure;
};

/// Runs \p work on the planner's thread and returns at once; \p then receives the answer.
/// \param work  changes nothing that affects what the planner says later: that is for tellSearch()
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
        // The answer may have ended the run, and a receiver of that event may have begun another one.
        if (run == m_run.get() && run->putsOffTrials)
            startTrials();
    });
}

/// \param read  called with the planner after the call, and with its reply
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

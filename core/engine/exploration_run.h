// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_pool.h"
#include "exploration_parts.h"
#include "exploration_plan.h"
#include "run_devices.h"
#include "snapshot_builder.h"
#include "stall_watch.h"
#include "trial_planner.h"
#include "verifier.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

namespace batchpeak::engine {

/// One run through an exploration's states, from start() to its one end. A second run is a second
/// object, so that nothing of the first can reach into it.
class ExplorationRun : public QObject
{
    Q_OBJECT

public:
    ExplorationRun(ExplorationPlan plan, ExplorationOptions options, const ExplorationParts& parts,
                   QObject* parent = nullptr);

    const Snapshot& snapshot() const { return m_builder.snapshot(); }
    bool hasEnded() const { return snapshot().finish.has_value(); }

    void start();
    void pause();
    void resume();
    void stop() { finish(FinishStatus::Cancelled); }
    void remark(LogLevel level, const QString& text)
    {
        m_builder.say(level, text);
        publish();
    }

signals:
    void snapshotChanged(const batchpeak::engine::Snapshot& snapshot);
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    void trialStarted(const batchpeak::engine::TrialSnapshot& trial);
    void trialFinished(const batchpeak::engine::TrialSnapshot& trial);
    void recommendationChanged(const batchpeak::search::Recommendation& recommendation);
    void finished(batchpeak::engine::FinishStatus status);

private:
    void connectPool();
    void beginTrials();
    void startTrials();
    void startTrial(DeviceRunner& runner, const search::Proposal& proposal, int repetition);
    void takeStep(const trial::Step& step);
    void endTrial(const DeviceSnapshot& device, const trial::TrialResult& result, bool workerLost);
    void loseDevice(const QString& device);
    void endIfSearchHasEnded();
    bool holdForPause();

    void conclude(FinishStatus status);
    void verify();
    void judgeVerification(const DeviceSnapshot& device, const TrialReading& reading);

    void finish(FinishStatus status, const QString& failure = {});
    void reportEnd();
    void tick();
    void publish();
    State state() const { return snapshot().state; }
    double now() const { return static_cast<double>(m_clock.elapsed()) / 1000.0; }

    ExplorationPlan m_plan;
    ExplorationOptions m_options;
    ExplorationParts m_parts;
    SnapshotBuilder m_builder;
    std::unique_ptr<TrialPlanner> m_planner;
    std::unique_ptr<DevicePool> m_pool;
    RunDevices m_devices;
    Verifier m_verifier;
    /// How the search had ended when the verification began.
    FinishStatus m_conclusion = FinishStatus::Failed;
    StallWatch m_stalls;
    QElapsedTimer m_clock;
    QTimer m_tick;
    QTimer m_budget;
    FinishStatus m_status = FinishStatus::Failed;
};

} // namespace batchpeak::engine

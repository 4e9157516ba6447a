// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/interrupted_run.h"
#include "history/trial_planner.h"
#include "history/trial_reading.h"
#include "snapshot/snapshot.h"
#include "trial/protocol.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace batchpeak::engine {

/// Keeps the snapshot of a run: every change of it goes through here, and leaves it consistent.
///
/// It writes down what happened. When something happens, and in which state the run is, is decided by
/// Exploration.
class SnapshotBuilder
{
public:
    explicit SnapshotBuilder(RunDescription run);

    const Snapshot& snapshot() const { return m_snapshot; }

    void setConfig(const QString& text, const QString& chosenModel);
    void setState(State state) { m_snapshot.state = state; }
    void setNumberInHistory(qint64 number) { m_snapshot.numberInHistory = number; }
    void setPauseRequested(bool requested) { m_snapshot.pauseRequested = requested; }
    void setThinkingSeconds(std::optional<double> seconds) { m_snapshot.thinkingSeconds = seconds; }
    void setDevicesAreFree(bool areFree) { m_snapshot.devicesAreFree = areFree; }
    void setCommands(const Commands& commands) { m_snapshot.commands = commands; }
    void addAsked(std::int64_t size);
    /// The trial of it that ran was left: it comes first again.
    void askAgain(std::int64_t size);
    void dropAsked(std::int64_t size);
    void setTolerance(double tolerance);
    void setTargetConfidence(double probability);
    void extend(int trials, std::optional<double> budgetSeconds);
    /// So many seconds, up to now, count for nothing.
    void addIdle(double seconds) { m_idleSeconds += seconds; }
    void setStalledSeconds(double seconds) { m_snapshot.stalledSeconds = seconds; }
    void setDevices(std::vector<DeviceSnapshot> devices);

    /// Trials, log and wishes of an exploration that was cut off.
    void restore(const InterruptedRun& run);
    /// Number of the trial that starts next.
    std::int64_t nextTrial() const { return static_cast<std::int64_t>(m_snapshot.trials.size()) + 1; }
    /// \param now  seconds since the start of the exploration, here and below; those between an end and the
    /// moment when it went on count too
    const trial::TrialRecord& startTrial(trial::TrialRecord trial, double now);
    void takeStep(const trial::Step& step);
    /// What the worker did not say of the trial's time and spread is taken from our own clock and from the
    /// steps that it reported.
    const trial::TrialRecord& endTrial(const trial::TrialResult& result, const DeviceSnapshot& device,
                                       double now);

    void logFollowUp(const trial::TrialRecord& trial, FollowUp followUp);

    /// What an earlier exploration measured counts, for as long as the search says so.
    void takeRecalled(std::vector<RecalledTrial> recalled) { m_snapshot.recalled = std::move(recalled); }
    /// \return whether the recommended size, or the confidence in it, is another than before
    bool takeSearchState(const search::SearchState& searchState);
    /// \param budgetSeconds  of all that the exploration is under way
    /// \param usableDevices  among which the trials to come are shared
    void takeTime(double now, std::optional<double> budgetSeconds, int usableDevices);

    /// The oldest lines make room for new ones beyond a bound.
    void log(LogLevel level, const QString& text);
    /// After a verification, or before one whose size is no longer recommended.
    void resumeSearch();
    /// The log tells how it stands.
    void setVerification(const std::optional<Verification>& verification);
    void setFailure(const QString& sentence) { m_snapshot.failure = sentence; }
    void setGpuUnusable() { m_snapshot.gpuIsUnusable = true; }
    /// \param canContinue  as in Snapshot
    void close(FinishStatus status, bool canContinue);
    /// It goes on after its end.
    /// \param idleSeconds  since that end
    void reopen(double idleSeconds);

private:
    struct UnderWay
    {
        double start = 0.0;
        /// Of the timed steps so far.
        std::vector<double> stepSeconds;
    };

    trial::TrialRecord& trial(std::int64_t number);
    void addCoursePoint();
    void findTrialsUnderWay();
    void planNext(const std::optional<search::NextTrial>& ofSearch);
    std::optional<search::Estimate> forecastSeconds() const;
    void showProgress(double estimated);
    /// Largest of the trials of that size that ran; 0 where none told.
    std::int64_t peakBytesOf(std::int64_t size) const;
    /// Of its calm trials, a long one counting for more than a short one.
    std::optional<double> joulesPerSampleOf(std::int64_t size) const;

    Snapshot m_snapshot;
    std::map<std::int64_t, UnderWay> m_underWay;
    /// Of the trials that had ended when the search last said what it needs.
    double m_secondsAtForecast = 0.0;
    /// The most progress so far, and the trials that were expected then.
    double m_maxProgress = 0.0;
    int m_trialsExpected = 0;
    /// A person has asked for more or for less: that is reason enough for progress to go back, until the
    /// search has answered.
    bool m_isAskedForOther = false;
    bool m_hasAnswered = false;
    /// Between an end and the moment when it went on, in all.
    double m_idleSeconds = 0.0;
};

} // namespace batchpeak::engine

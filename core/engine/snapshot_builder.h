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

/// Adds a point unless the last one says the same; beyond a limit, the older half is thinned out.
void addCoursePoint(std::vector<CoursePoint>& course, const CoursePoint& point);

/// Keeps the snapshot of a run: every change of the snapshot goes through this class, which keeps it
/// consistent.
///
/// It records what happened. Exploration decides when something happens, and in which state the run is.
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
    /// Puts the size first in the list again, since its running trial was canceled.
    void askAgain(std::int64_t size);
    void dropAsked(std::int64_t size);
    void setTolerance(double tolerance);
    void setTargetConfidence(double probability);
    void extend(int trials, std::optional<double> budgetSeconds);
    /// Excludes \p seconds, up to the current time, from the elapsed time.
    void addIdle(double seconds) { m_idleSeconds += seconds; }
    void setStalledSeconds(double seconds) { m_snapshot.stalledSeconds = seconds; }
    void setDevices(std::vector<DeviceSnapshot> devices);
    void setPlaces(std::vector<PlaceSnapshot> places) { m_snapshot.places = std::move(places); }

    /// Restores the trials, the log and the commands of an exploration that was cut off.
    void restore(const InterruptedRun& run);
    /// Number of the trial that starts next.
    std::int64_t nextTrial() const { return static_cast<std::int64_t>(m_snapshot.trials.size()) + 1; }
    /// \param now  seconds since the start of the exploration, here and below; it includes the time between
    ///             an end and a continuation
    const trial::TrialRecord& startTrial(trial::TrialRecord trial, double now);
    void takeStep(const trial::Step& step);
    /// If the worker did not report the trial's time or spread, they are taken from our own clock and from
    /// the steps that it reported.
    const trial::TrialRecord& endTrial(const trial::TrialResult& result, const DeviceSnapshot& device,
                                       double now);

    void logFollowUp(const trial::TrialRecord& trial, FollowUp followUp);

    /// Sets the trials recalled from an earlier exploration, which count for as long as the search says so.
    void takeRecalled(std::vector<RecalledTrial> recalled) { m_snapshot.recalled = std::move(recalled); }
    /// \return whether the recommended size, or its confidence, has changed
    bool takeSearchState(const search::SearchState& searchState);
    /// \param budgetSeconds  time budget for everything while the exploration is under way
    /// \param usableDevices  number of devices among which the trials to come are divided
    void takeTime(double now, std::optional<double> budgetSeconds, int usableDevices);

    /// Adds a line to the log; beyond a limit, the oldest lines are dropped.
    void log(LogLevel level, const QString& text);
    /// Returns to the search after a verification, or before one if its size is no longer recommended.
    void resumeSearch();
    /// Sets the verification and logs its status.
    void setVerification(const std::optional<Verification>& verification);
    void setFailure(const QString& sentence) { m_snapshot.failure = sentence; }
    void setGpuUnusable() { m_snapshot.gpuIsUnusable = true; }
    /// \param canContinue  as in Snapshot
    void close(FinishStatus status, bool canContinue);
    /// Continues the exploration after its end.
    /// \param idleSeconds  time since that end
    void reopen(double idleSeconds);

private:
    struct UnderWay
    {
        double start = 0.0;
        /// Times of the timed steps so far.
        std::vector<double> stepSeconds;
    };

    trial::TrialRecord& trial(std::int64_t number);
    void addCoursePoint();
    void findTrialsUnderWay();
    void planNext(const std::optional<search::NextTrial>& ofSearch);
    std::optional<search::Estimate> forecastSeconds() const;
    void showProgress(double estimated);
    /// Returns the largest peak of the trials of that size that ran; 0 if none reported one.
    std::int64_t peakBytesOf(std::int64_t size) const;
    /// Returns the mean of the undisturbed trials of that size, weighted by their number of timed steps.
    std::optional<double> joulesPerSampleOf(std::int64_t size) const;

    Snapshot m_snapshot;
    std::map<std::int64_t, UnderWay> m_underWay;
    /// Total time of the trials that had ended when the search last gave a forecast [s].
    double m_secondsAtForecast = 0.0;
    /// Highest progress so far, and the number of trials that was expected then.
    double m_maxProgress = 0.0;
    int m_trialsExpected = 0;
    /// Whether a person has changed the budget, the tolerance or the confidence: the progress may then go
    /// back without a reason in the log, until the search has answered.
    bool m_isAskedForOther = false;
    bool m_hasAnswered = false;
    /// Total time that does not count: pauses, and the time between an end and a continuation.
    double m_idleSeconds = 0.0;
};

} // namespace batchpeak::engine

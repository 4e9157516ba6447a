// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "files/config_file.h"
#include "history/interrupted_run.h"
#include "observed_exploration.h"
#include "options/exploration_options.h"
#include "snapshot/snapshot.h"
#include "workers/exploration_parts.h"

#include <QObject>

#include <memory>
#include <vector>

namespace batchpeak::trial {
struct Step;
struct TrialResult;
} // namespace batchpeak::trial

namespace batchpeak::engine {

class DeviceRunner;
struct DeviceSetup;
struct RecalledTrials;
struct TrialReading;

/// Runs one exploration from a loaded config to its final recommendation: the one state machine behind the
/// window and the terminal.
///
/// It decides when a trial starts, on which device, what a lost or silent worker means, and when the
/// exploration ends. It does not decide which size is next or best (search), nor how anything looks.
///
/// All calls return at once; their results arrive as signals. A call that makes no sense in the current state
/// does nothing.
class Exploration : public ObservedExploration
{
    Q_OBJECT

public:
    explicit Exploration(ExplorationParts parts = {}, QObject* parent = nullptr);
    /// Ends every worker, with SIGKILL at the latest.
    ~Exploration() override;

    const Snapshot& snapshot() const override;

    /// Takes a config as the next one to explore; possible only while nothing runs. The state is then Idle,
    /// and the snapshot describes the run.
    /// \throws config::ConfigError if the config and the options contradict each other, or if they describe
    ///         no network that can be run
    void load(const QString& filePath, const config::ConfigContents& contents,
              const ExplorationOptions& options);

    /// Does the same for a file; the snapshot then names its text and its chosen network.
    void load(const ConfigFile& file, const ExplorationOptions& options);

    /// Sets the history in which to look for trials of earlier explorations, which count unless the options
    /// say otherwise. Until this is called, no such trials are looked for.
    void setHistory(const QString& storePath) { m_history = storePath; }

    /// Takes the loaded config as that of an exploration that was cut off. Its trials stand, and start()
    /// continues the search as if there had been no interruption, except for the trials that were running.
    /// \return the reason, as a full sentence, if a different run is loaded than that of the exploration;
    ///         nothing happens then
    QString resumeFrom(InterruptedRun run);
    /// Returns the exploration that resumeFrom() took, until its search continues; null otherwise.
    const InterruptedRun* takenUp() const;

    /// Begins the exploration; after an end, everything is explored again.
    /// \throws DeviceInUse if another run uses the devices; nothing has changed then
    void start();
    /// Revokes an end and continues the search from all trials so far, with new workers, however confident
    /// the result is. It requires that the snapshot's canContinue is set. If no worker starts, the
    /// exploration ends as it did before, and the failure says why.
    /// \throws DeviceInUse as start() does
    void continueSearch(const ExtraBudget& more);
    /// Cancels the running trials, which do not count and may be proposed again, and starts no other trial
    /// until resume(). Until they have ended, the snapshot's pauseRequested is set, the state stays Exploring
    /// or Verifying, and resume() revokes the pause. Shortly after they have ended, the workers are ended, so
    /// that other programs may use the devices; resume() starts them again, and everything learned so far
    /// stands. The time of a pause does not count against any budget.
    void pause();
    void resume();

    // Commands that a person may give while the exploration is under way, if the snapshot's commands allow
    // them. The search takes them into account at once, and every command is reported as an event.

    /// Cancels the trial that runs on the device, or all running trials if no device is named. This does not
    /// count against the size, and another trial comes next. A verification that is skipped is not made up
    /// for.
    void skipTrial(const QString& device = {});
    /// Excludes the size, so that it is neither tried nor recommended any more, or allows it again. A running
    /// trial of an excluded size is skipped.
    void excludeSize(std::int64_t size, bool isExcluded = true);
    /// Makes the next trial one of this size, even if the search expects that it does not fit. If no device
    /// is free, the trial that began last is canceled; it does not count and may be proposed again.
    /// \return the reason if the size cannot be tried, as tryError() returns it; nothing happens then
    QString tryNow(std::int64_t size);
    /// Returns why tryNow() would refuse the size, as a full sentence; empty if it would not.
    QString tryError(std::int64_t size) const;
    /// Adds to the budget of trials, and to that of time if there is one.
    void extend(const ExtraBudget& more);
    /// \param share  above 0, below 1
    void setTolerance(double share);
    /// \param probability  above 0, at most 1
    void setTargetConfidence(double probability);

    /// Ends the exploration with the best size so far. Running trials are canceled.
    void stop();
    /// Adds a line to the log of the run, for other parts of the program such as the one that keeps the
    /// history.
    void remark(LogLevel level, const QString& text);
    /// Sets the run's number in the history, as the part that keeps the history reports it.
    void setNumberInHistory(qint64 number);

signals:
    /// Emitted with what the search is created from, and then with each call to it. A receiver that keeps all
    /// of them in their order can restore the search as it is now.
    void searchBegun(const batchpeak::search::SearchSpace& space);
    void searchTold(const batchpeak::engine::PlannerCall& call);

private:
    struct Run;

    template<typename Work, typename Then>
    void askSearch(Work work, Then then);
    template<typename Read, typename Then>
    void tellSearch(PlannerCall call, Read read, Then then);
    template<typename Then>
    void tellSearch(PlannerCall call, Then then);

    void begin();
    void startClock();
    void openPlaces();
    void openDevices();
    std::vector<DeviceSetup> deviceSetups() const;
    bool makePlanner(const search::SearchSpace& space);
    void resumeSearch();
    void recall(std::int64_t memoryLimitBytes);
    void tellOf(RecalledTrials earlier);
    void connectPool();
    void beginTrials();
    void startTrials();
    void takeProposal(const QString& device, const search::Proposal& proposal, int repetition);
    void startTrial(DeviceRunner& runner, const search::Proposal& proposal, int repetition);
    void takeStep(const trial::Step& step);
    void endTrial(const DeviceSnapshot& device, const trial::TrialResult& told, bool workerLost,
                  double workerSeconds);
    void learn(const QString& device, const TrialReading& reading);
    void actOn(const search::SearchState& searchState);
    void takeSearchState(const search::SearchState& searchState);
    void loseDevice(const QString& device);
    bool leave(const trial::TrialRecord& trial);
    void makeRoomForAsked(std::int64_t size);
    void endLeft(const trial::TrialRecord& trial);
    void endSkipped(const trial::TrialRecord& trial);
    void endWithoutDevices();
    void endIfSearchHasEnded();
    bool leavesTimeToVerifyAlone() const;
    bool holdForPause();
    void leavePause();
    void takeCommand(PlannerCall call, const Commanded& command, const QString& text);
    bool takesCommands() const;
    Commands commands() const;

    void conclude(FinishStatus status);
    void verify();
    void judgeVerification(const DeviceSnapshot& device, const TrialReading& reading);

    void finish(FinishStatus status, const QString& failure = {});
    void fail(const QString& failure);
    void endSearch();
    void reportEnd(bool hasMore);
    void tick();
    void lookAtDevices();
    void publish();

    void setRun(std::unique_ptr<Run> run);
    State state() const { return snapshot().state; }
    bool hasEnded() const { return snapshot().finish.has_value(); }
    bool isIdle() const { return state() == State::Idle; }

    ExplorationParts m_parts;
    QString m_history;
    /// The newest run, kept after its end since it owns the snapshot; null before a config is loaded.
    std::unique_ptr<Run> m_run;
};

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "event.h"
#include "files/config_file.h"
#include "history/interrupted_run.h"
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

/// One exploration from a loaded config to its final recommendation: the one state machine behind the
/// window and the terminal.
///
/// It decides when a trial starts, on which device, what a lost or silent worker means, and when all
/// ends. It does not decide which size is next or best (search), nor how anything looks.
///
/// All calls return at once; what comes of them arrives as signals. A call that makes no sense in the
/// present state does nothing.
class Exploration : public QObject
{
    Q_OBJECT

public:
    using Event = engine::Event;

    explicit Exploration(ExplorationParts parts = {}, QObject* parent = nullptr);
    /// Ends every worker, at the latest by SIGKILL.
    ~Exploration() override;

    const Snapshot& snapshot() const;

    /// Takes a config as the next thing to explore; possible while nothing runs. The state is then Idle
    /// and the snapshot describes the run.
    /// \throws config::ConfigError where the config and the options contradict each other, or hold no
    ///         network that can be run
    void load(const QString& filePath, const config::ConfigContents& contents,
              const ExplorationOptions& options);

    /// The same of a file, whose text and chosen network the snapshot then names.
    void load(const ConfigFile& file, const ExplorationOptions& options);

    /// Where to look for trials of earlier explorations, which count unless the options say otherwise.
    /// Nowhere before it is said.
    void setHistory(const QString& storePath) { m_history = storePath; }

    /// Takes the loaded config for that of an exploration that was cut off: its trials stand, and start()
    /// goes on with the search as if nothing had been, but for the trials that ran.
    /// \return why it cannot, as a full sentence, where another run is loaded than that one's; nothing
    /// happens then
    QString resumeFrom(InterruptedRun run);
    /// That one, until its search goes on; else null.
    const InterruptedRun* takenUp() const;

    /// Begins the exploration; after an end everything is explored anew.
    /// \throws DeviceInUse where another run uses the devices; nothing has changed then
    void start();
    /// Takes an end back and searches on from all trials so far, with fresh workers, however sure the result
    /// is; where the snapshot says canContinue. Where no worker comes up, it ends as it did before, and the
    /// failure says why. \throws DeviceInUse as start() does
    void continueSearch(const ExtraBudget& more);
    /// Cancels the running trials, which count for nothing and may be proposed again, and starts no other
    /// until resume(). Until they have ended the snapshot's pauseRequested is set, the state stays Exploring,
    /// and resume() takes the pause back. A moment after that the workers are ended, so that other programs
    /// may use the devices; resume() starts them again, and all that was learned stands. The time of a pause
    /// counts against no budget.
    void pause();
    void resume();

    // What a person may ask while it is under way, where the snapshot's commands say so. The search follows
    // at once, and every wish is told as an event.

    /// Cancels the trial that runs on the device, or all where none is named. Nothing is held against its
    /// size, and something else comes next. A verification is left out.
    void skipTrial(const QString& device = {});
    /// The size is neither tried nor recommended any more, or may be again. A trial of it that runs is
    /// skipped.
    void excludeSize(std::int64_t size, bool isExcluded = true);
    /// The next trial is of this size, also where the search thinks that it does not fit. Where no device is
    /// free, the trial that began last is canceled for it, counts for nothing and may be proposed again.
    /// \return why it cannot be tried, as of tryError(); nothing happens then
    QString tryNow(std::int64_t size);
    /// Why tryNow() would refuse the size, as a full sentence; empty where it would not.
    QString tryError(std::int64_t size) const;
    /// Adds to the trials, and to the time where that is bounded.
    void extend(const ExtraBudget& more);
    /// \param share  above 0, below 1
    void setTolerance(double share);
    /// \param probability  above 0, at most 1
    void setTargetConfidence(double probability);

    /// Ends the exploration with the best so far. A running trial is canceled.
    void stop();
    /// Adds a line to the log of the run, from whoever works beside it, as one that keeps a history.
    void remark(LogLevel level, const QString& text);
    /// Takes the run's number from whoever keeps the history.
    void setNumberInHistory(qint64 number);

signals:
    void occurred(const batchpeak::engine::Event& event);
    /// Whoever keeps these, the first and then all others in their order, can make the search again as it is
    /// now.
    void searchBegun(const batchpeak::search::SearchSpace& space);
    void searchTold(const batchpeak::engine::PlannerCall& call);
    /// Something in the snapshot is new. It may come hundreds of times a second: draw on a timer.
    void snapshotChanged(const batchpeak::engine::Snapshot& snapshot);

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
    /// The newest, also after its end, since the snapshot is its; none before a config is loaded.
    std::unique_ptr<Run> m_run;
};

} // namespace batchpeak::engine

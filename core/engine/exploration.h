// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "exploration_options.h"
#include "exploration_parts.h"
#include "snapshot.h"

#include <QObject>

#include <memory>

namespace batchpeak::engine {

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
    explicit Exploration(QObject* parent = nullptr);
    explicit Exploration(ExplorationParts parts, QObject* parent = nullptr);
    /// Ends every worker, at the latest by SIGKILL.
    ~Exploration() override;

    const Snapshot& snapshot() const;

    /// Takes a config as the next thing to explore; possible while nothing runs. The state is then Idle
    /// and the snapshot describes the run.
    /// \throws config::ConfigError where the config and the options contradict each other, or hold no
    ///         network that can be run
    void load(const QString& filePath, const config::ConfigContents& contents,
              const ExplorationOptions& options);

    void start();
    /// Lets the running trial end, and starts no other until resume(). Until then the snapshot's
    /// pauseRequested is set and the state stays Exploring.
    void pause();
    void resume();
    /// Ends the exploration with the best so far. A running trial is cancelled.
    void stop();
    /// Adds a line to the log of the run, from whoever works beside it, as one that keeps a history.
    void remark(LogLevel level, const QString& text);

signals:
    /// start() was heard; the snapshot's run describes what begins.
    void started();
    /// Something in the snapshot is new. It may come hundreds of times a second: draw on a timer.
    void snapshotChanged(const batchpeak::engine::Snapshot& snapshot);
    /// Once for each device: its worker has told what it has, and holds the network.
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    void trialStarted(const batchpeak::engine::TrialSnapshot& trial);
    void trialFinished(const batchpeak::engine::TrialSnapshot& trial);
    /// A new size, or a new confidence in the old one.
    void recommendationChanged(const batchpeak::search::Recommendation& recommendation);
    /// Once for each start(), whatever the end. The snapshot holds how.
    void finished(batchpeak::engine::FinishStatus status);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::engine

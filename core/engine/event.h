// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QObject>

#include <chrono>
#include <optional>
#include <variant>

namespace batchpeak::engine {

/// start() was called; the snapshot's run describes the exploration that begins.
struct Started
{};

/// Emitted once for each device, when its worker has reported what the device has and has loaded the network.
struct DeviceReady
{
    DeviceSnapshot device;
};

/// How a device at a place is reached has changed, or what a place that is being opened waits for.
struct ConnectionChanged
{
    /// Id of the device, or the place as the options name it.
    QString name;
    Connection connection;
};

struct TrialStarted
{
    trial::TrialRecord trial;
};

struct TrialFinished
{
    trial::TrialRecord trial;
};

/// The recommendation has a new size, or the same size has a new confidence.
struct RecommendationChanged
{
    search::Recommendation recommendation;
};

/// A person has given a command while the exploration is under way.
struct Commanded
{
    enum class Kind {
        Pause,
        Resume,
        /// Skips the trial that runs on \c device, or all running trials if \c device is empty.
        SkipTrial,
        ExcludeSize,
        AllowSize,
        TryNow,
        /// Extends the budget by \c trials and \c seconds.
        Extend,
        /// Sets the tolerance to \c share; the next kind uses \c share too.
        SetTolerance,
        SetTargetConfidence
    };
    Kind kind = Kind::Pause;
    QString device = {};
    std::int64_t size = 0;
    int trials = 0;
    std::optional<double> seconds = {};
    double share = 0.0;
};

/// continueSearch() was called after an end; the devices are reported again, and another Finished follows.
struct WentOn
{
    /// Number of trials that may be run in addition to those that have ended.
    int moreTrials = 0;
    /// Time budget for these trials [s]; nothing if the time is not limited.
    std::optional<double> seconds;
};

/// The history has taken the exploration in, under the number that --resume takes.
struct Recorded
{
    qint64 exploration = 0;
};

/// Trials of an earlier exploration count in the search that begins.
struct Recalled
{
    /// Number of the earlier exploration in the history.
    qint64 exploration = 0;
    int trials = 0;
    /// Time since the last of these trials.
    std::chrono::seconds age{0};
};

/// Emitted once for each start() and continueSearch(), however the exploration ends. The snapshot holds the
/// details.
struct Finished
{
    FinishStatus status = FinishStatus::Failed;
};

/// Something that happens in an exploration. The event log, the history, the terminal and the window receive
/// these events.
using Event = std::variant<Started, Recorded, WentOn, DeviceReady, ConnectionChanged, Recalled, TrialStarted,
                           TrialFinished, RecommendationChanged, Commanded, Finished>;

/// Connects \p slot to the events of one kind.
/// \param source  an Exploration, or another object that emits occurred(Event)
template<typename Kind, typename Source, typename Slot>
QMetaObject::Connection onEvent(const Source& source, const QObject* context, Slot slot)
{
    return QObject::connect(&source, &Source::occurred, context, [slot](const typename Source::Event& event) {
        if (const auto* wanted = std::get_if<Kind>(&event))
            slot(*wanted);
    });
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QObject>

#include <chrono>
#include <optional>
#include <variant>

namespace batchpeak::engine {

/// start() was heard; the snapshot's run describes what begins.
struct Started
{};

/// Once for each device: its worker has told what it has, and holds the network.
struct DeviceReady
{
    DeviceSnapshot device;
};

struct TrialStarted
{
    trial::TrialRecord trial;
};

struct TrialFinished
{
    trial::TrialRecord trial;
};

/// A new size, or a new confidence in the old one.
struct RecommendationChanged
{
    search::Recommendation recommendation;
};

/// A person has asked for something while the exploration is under way.
struct Commanded
{
    enum class Kind {
        Pause,
        Resume,
        /// Of the trials on device, or of all where that is empty.
        SkipTrial,
        ExcludeSize,
        AllowSize,
        TryNow,
        /// By trials and seconds.
        Extend,
        /// To share, as the next.
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

/// continueSearch() was heard after an end; the devices are told anew, and another Finished comes.
struct WentOn
{
    /// May be run beside those that have ended.
    int moreTrials = 0;
    /// For them; nothing where time sets no bound.
    std::optional<double> seconds;
};

/// Trials of an earlier exploration count in the search that begins.
struct Recalled
{
    /// Its number in the history.
    qint64 exploration = 0;
    int trials = 0;
    /// Since the last of them.
    std::chrono::seconds age{0};
};

/// Once for each start() and continueSearch(), whatever the end. The snapshot holds how.
struct Finished
{
    FinishStatus status = FinishStatus::Failed;
};

/// What happens in an exploration: what its event log, its history, the terminal and the window hear of.
using Event = std::variant<Started, WentOn, DeviceReady, Recalled, TrialStarted, TrialFinished,
                           RecommendationChanged, Commanded, Finished>;

/// Connects \p slot to the events of one kind.
/// \param source  an Exploration, or another that says occurred(Event)
template<typename Kind, typename Source, typename Slot>
QMetaObject::Connection onEvent(const Source& source, const QObject* context, Slot slot)
{
    return QObject::connect(&source, &Source::occurred, context, [slot](const typename Source::Event& event) {
        if (const auto* wanted = std::get_if<Kind>(&event))
            slot(*wanted);
    });
}

} // namespace batchpeak::engine

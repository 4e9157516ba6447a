// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_journal.h"
#include "store/exploration_records.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::engine {

/// The state of an exploration when its program ended before it did, or when it was stopped.
struct InterruptedRun
{
    /// The exploration as stored, with a text for the trials that were running at that moment.
    store::StoredExploration stored;
    /// What the search was asked, and every call to it since.
    search::SearchSpace space;
    std::vector<PlannerCall> calls;
};

/// Returns what the history holds of the exploration. Returns nothing if it was begun by a program that did
/// not store everything that is needed, or was cut off before its first trial.
std::optional<InterruptedRun> interruptedRunFrom(const store::StoredExploration& stored);

/// Returns the space of the search that continues, on devices that may have less memory by now. \param now
/// the space that a new search would get
search::SearchSpace spaceOf(const InterruptedRun& run, const search::SearchSpace& now);

/// Returns the total time that the exploration may use, with what was added to it [s]; nothing if the time is
/// not limited.
/// \param asked  time budget at its start
std::optional<double> budgetAfter(const InterruptedRun& run, std::optional<double> asked);

/// Whether explorations count that were stopped before their end, by a person or at the end of a session.
enum class Stopped { Not, Too };

/// Returns why an exploration of the history cannot be continued or deleted at the moment, as a full
/// sentence; empty if no program is running it.
QString whyInUse(const QString& storePath, qint64 exploration);

/// Returns why an exploration of the history cannot be continued, as a full sentence; empty if it can.
QString resumeError(const QString& storePath, const store::StoredExploration& stored);

/// Returns the newest exploration that was cut off and can be continued: of that config, or of any if \p
/// filePath is empty. Returns nothing if there is no history.
std::optional<store::StoredExploration> cutExplorationOf(const QString& storePath, const QString& filePath,
                                                         Stopped stopped = Stopped::Not);

} // namespace batchpeak::engine

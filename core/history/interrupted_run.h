// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_journal.h"
#include "store/exploration_records.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::engine {

/// As far as an exploration had come when its program ended before it did, or it was stopped.
struct InterruptedRun
{
    /// As it is kept; of trials that ran at that moment it is said.
    store::StoredExploration stored;
    /// What the search was asked, and what it was told since.
    search::SearchSpace space;
    std::vector<PlannerCall> calls;
};

/// What the history holds of it. Nothing where it was begun by a program that did not keep all that it takes,
/// or is cut off before its first trial.
std::optional<InterruptedRun> interruptedRunFrom(const store::StoredExploration& stored);

/// The search that goes on, on devices that may have less memory by now. \param now  what a new one would be
/// asked
search::SearchSpace spaceOf(const InterruptedRun& run, const search::SearchSpace& now);

/// Seconds that it may spend in all, with what was added to them; nothing where time sets no bound.
/// \param asked  at its start
std::optional<double> budgetAfter(const InterruptedRun& run, std::optional<double> asked);

/// Whether explorations count that were stopped before their end, by a person or with a session.
enum class Stopped { Not, Too };

/// Why an exploration of the history is not to be taken up or deleted at present, as a full sentence; empty
/// where no program runs it.
QString whyInUse(const QString& storePath, qint64 exploration);

/// Why an exploration of the history cannot go on, as a full sentence; empty where it can.
QString resumeError(const QString& storePath, const store::StoredExploration& stored);

/// The newest that was cut off and can go on: of that config, or of any where \p filePath is empty. Nothing
/// where there is no history.
std::optional<store::StoredExploration> cutExplorationOf(const QString& storePath, const QString& filePath,
                                                         Stopped stopped = Stopped::Not);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interrupted_run.h"
#include "snapshot/snapshot.h"
#include "store/exploration_records.h"

#include <optional>
#include <stop_token>
#include <utility>

namespace batchpeak::engine {

/// Returns the fidelity that a history holds.
config::Fidelity fidelityOf(const store::FidelityRecord& record);
/// Returns the fidelity as a history holds it.
store::FidelityRecord fidelityRecord(const config::Fidelity& fidelity);

/// Whether another program is running an exploration of the history at the moment.
enum class IsUnderWay { No, Yes };

/// An exploration of the history with all calls to its search. Parsing these takes long, so it happens on
/// first use, and only once.
class StoredSearch
{
public:
    explicit StoredSearch(store::StoredExploration stored) : m_stored(std::move(stored)) {}

    const store::StoredExploration& stored() const { return m_stored; }
    /// Returns the run, or null if the history holds too little of it.
    const InterruptedRun* run();

private:
    store::StoredExploration m_stored;
    std::optional<InterruptedRun> m_run;
    bool m_isRead = false;
};

/// Returns an exploration as the history holds it, in the form of a Snapshot to be drawn. Other results of
/// its search are absent (the curve, the line of memory, the course of its confidence, what limits the
/// speed): see addSearch(). The time without pauses of an exploration that was cut off is that of the last
/// call to its search.
///
/// \param now  an exploration of the same config, from which the names of its keys are taken
Snapshot snapshotOf(StoredSearch& search, const RunDescription& now, IsUnderWay isUnderWay = IsUnderWay::No);

/// Adds the results of the search of such an exploration, at its end and over time. It repeats the search
/// with the same calls, which takes as long as the search took then. Nothing is added if the history holds
/// too little of it, or if the repeated search gives another answer, as that of a newer program may.
/// \param stop  if requested, leaves the snapshot as it is
/// \return whether the results were added
bool addSearch(Snapshot& snapshot, StoredSearch& search, const std::stop_token& stop = {});

} // namespace batchpeak::engine

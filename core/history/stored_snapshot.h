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

/// The label of what a history holds.
config::Fidelity fidelityOf(const store::FidelityRecord& record);
/// The label as a history holds it.
store::FidelityRecord fidelityRecord(const config::Fidelity& fidelity);

/// Whether another program runs an exploration of the history at this moment.
enum class IsUnderWay { No, Yes };

/// An exploration of the history with all that its search was told. Reading that takes long, so that it waits
/// until somebody asks for it, and happens once.
class StoredSearch
{
public:
    explicit StoredSearch(store::StoredExploration stored) : m_stored(std::move(stored)) {}

    const store::StoredExploration& stored() const { return m_stored; }
    /// Null where the history holds too little of it.
    const InterruptedRun* run();

private:
    store::StoredExploration m_stored;
    std::optional<InterruptedRun> m_run;
    bool m_isRead = false;
};

/// An exploration of the history as it stands there, for who draws Snapshots. What else its search knew is
/// absent, the curve, the memory's line, the course of its confidence, what limits the speed: see
/// addSearch(). Time without pauses is that of the last thing that its search was told.
///
/// \param now  an exploration of the same config, of which the names of its keys are taken
Snapshot snapshotOf(StoredSearch& search, const RunDescription& now, IsUnderWay isUnderWay = IsUnderWay::No);

/// Adds what the search of such an exploration knew at its end, and in the course of time: by making it once
/// more of all that it was told, which takes as long as it then thought. Nothing is added where the history
/// holds too little of it, or where the search comes to another answer, as that of a later program may.
/// \param stop  leaves the snapshot as it is
/// \return whether it was added
bool addSearch(Snapshot& snapshot, StoredSearch& search, const std::stop_token& stop = {});

} // namespace batchpeak::engine

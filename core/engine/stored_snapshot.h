// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"
#include "store/exploration_records.h"

namespace batchpeak::engine {

/// The label of what a history holds.
config::Fidelity fidelityOf(const store::FidelityRecord& record);
/// The label as a history holds it.
store::FidelityRecord fidelityRecord(const config::Fidelity& fidelity);

/// An exploration of the history as it stood at its end, for who draws Snapshots. What the history does not
/// keep is absent: the curve, the memory's line, what limits the speed, and all but one line of the log,
/// which says so.
///
/// \param now  an exploration of the same config, of which the names of its keys are taken
Snapshot snapshotOf(const store::StoredExploration& stored, const RunDescription& now);

} // namespace batchpeak::engine

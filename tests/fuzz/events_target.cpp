// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_reader.h"
#include "fuzz_target.h"

#include <algorithm>

namespace batchpeak::fuzz {

void run(std::string_view text)
{
    engine::EventReader reader;
    reader.read(QByteArray(text.data(), static_cast<qsizetype>(text.size())));
    reader.read("\n");
    const engine::Snapshot& snapshot = reader.snapshot();
    require(!reader.hasEnded() || reader.hasBegun(), "what has ended has begun");
    require(std::ranges::is_sorted(snapshot.trials, {}, &trial::TrialRecord::number), "trials are in order");
    require(snapshot.state != engine::State::Verifying || snapshot.verification, "a verification has a size");
    (void)snapshot.memoryZones();
    (void)snapshot.currentTrials();
}

} // namespace batchpeak::fuzz

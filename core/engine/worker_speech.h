// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"
#include "worker_process.h"

#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// What workers say, read alike by whoever owns one.

/// Why a worker that greets so is of no use here, as a full sentence; empty where it is.
QString problemIn(const trial::WorkerHello& hello);

/// Takes what a worker says of itself and its device into \p device. The memory that may be used is what is
/// free, or less where less is wanted, and that less the headroom; it is reckoned once, since a fresh worker
/// keeps the first one's.
///
/// \param wanted    --memory-limit
/// \param headroom  share of the limit, 0..1
void takeHello(DeviceSnapshot& device, const trial::WorkerHello& hello, std::optional<std::int64_t> wanted,
               double headroom);

/// Why a worker went away, with what its exit codes mean (docs/trial-protocol.md).
QString problemText(const WorkerEnd& end);

/// "Does not keep to the trial protocol", and what was wrong.
QString violationText(const QString& sentence);

/// Nothing for what helps a worker's authors alone.
std::optional<LogLevel> shownLevel(trial::LogLevel level);

} // namespace batchpeak::engine

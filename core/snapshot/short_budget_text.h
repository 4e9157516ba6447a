// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QString>

#include <cstdint>

namespace batchpeak::engine {

/// Whether no trial came to its end: none began, or what ran was canceled.
bool endedBeforeATrial(const Snapshot& snapshot);

/// That a time budget ended before the first trial did, how far that had come, and which budget would do: by
/// the time of the steps that were seen, else a few times as much. \param smallest  smallest size that was
/// allowed
QString shortBudgetText(const Snapshot& snapshot, double budgetSeconds, std::int64_t smallest);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QString>

#include <cstdint>

namespace batchpeak::engine {

/// Whether no trial was completed: none began, or the one that ran was canceled.
bool endedBeforeATrial(const Snapshot& snapshot);

/// Returns a text that a time budget ended before the first trial did, how far the exploration had come, and
/// which budget would suffice: by the time of the steps so far, or else a few times the time spent.
/// \param smallest  smallest size that was allowed
QString shortBudgetText(const Snapshot& snapshot, double budgetSeconds, std::int64_t smallest);

} // namespace batchpeak::engine

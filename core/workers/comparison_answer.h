// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/comparison.h"
#include "trial/trial_result.h"

#include <QString>

namespace batchpeak::engine {

/// Why a result is no answer to a comparison: it speaks of sizes that were not asked for, or says that it
/// ended well and lacks some, or has other visits than were asked for. Empty where it is one.
///
/// What a line by itself can say wrong, the trial protocol has refused before.
QString problemWith(const trial::TrialResult& result, const trial::CompareRequest& request);

} // namespace batchpeak::engine

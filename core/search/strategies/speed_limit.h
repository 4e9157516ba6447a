// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

namespace batchpeak::search {

class Posterior;
class TrialHistory;

/// What limits the speed of the recommended size on most of the sample paths.
///
/// A path is asked in this order: was a size near it flagged for thrashing; does one sample more than a
/// whole wave, or than an aligned size, lengthen the step by more than the tolerance; do samples/s fall by
/// more than that where memory ends; would twice the size gain more than that; else it is saturated, unless a
/// size further above is faster by more than that. A fitted
/// constant is overhead; so is a wave that no measured size exceeds, since nothing tells the two apart.
///
/// It explains the recommendation and takes no part in it.
///
/// \param posterior  with a recommended size
SpeedLimit findSpeedLimit(const Posterior& posterior, const TrialHistory& history);

} // namespace batchpeak::search

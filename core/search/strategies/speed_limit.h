// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

namespace batchpeak::search {

class Posterior;
class TrialHistory;

/// Determines what limits the speed of the recommended size on most of the sample paths.
///
/// The checks for a path are, in this order: whether a size near it was flagged for thrashing; whether one
/// sample more than a whole wave, or than an aligned size, lengthens the step by more than the tolerance;
/// whether samples/s fall by more than the tolerance where memory ends; whether twice the size would gain
/// more than the tolerance. Otherwise the path is saturated, unless a size further above is faster by more
/// than the tolerance. A fitted constant is overhead; so is a wave that no measured size exceeds, since
/// nothing tells the two apart.
///
/// The result explains the recommendation and has no effect on it.
///
/// \param posterior  with a recommended size
SpeedLimit findSpeedLimit(const Posterior& posterior, const TrialHistory& history);

} // namespace batchpeak::search

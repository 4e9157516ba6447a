// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace batchpeak::trial {

/// Whether a trial has warmed up, so that the next step may be timed: the last two steps agree within
/// 3 %, or waiting for that has cost five steps or a fifth of the trial's time.
///
/// The very first step pays for lazy set-up (kernels chosen, caches filled), so it is not one of the
/// two that must agree; and two steps are taken whatever they cost.
///
/// \param seconds  wall time of each warm-up step so far [s], in their order
/// \param timeLimitSeconds  of the whole trial [s]
///
/// The figures were settled on recorded curves.
bool isWarm(std::span<const double> seconds, double timeLimitSeconds);

} // namespace batchpeak::trial

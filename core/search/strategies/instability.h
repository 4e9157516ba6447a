// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

namespace batchpeak::search {

class Posterior;
class TrialHistory;

/// Whether the device is too restless to tell sizes apart, and why: other tenants before drift before noise,
/// since the first two explain the third.
///
/// \param posterior  with a recommended size
Instability findInstability(const SearchSpace& space, const Posterior& posterior,
                            const TrialHistory& history);

/// Whether nothing certain can be said: always under drift and beside other tenants, and where a single trial
/// is off by several times the tolerance.
bool isGrave(const Instability& instability, double tolerance);

} // namespace batchpeak::search

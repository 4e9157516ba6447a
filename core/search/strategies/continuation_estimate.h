// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <optional>

namespace batchpeak::search {

class Posterior;
class TrialCost;
struct PosteriorSummary;

/// What going on would take: comparisons of the recommended size with the one that most likely beats it,
/// until a lead as large as the tolerance is two standard deviations, and as often again as other sizes may
/// beat it too.
///
/// It decides nothing; a search ends for its own reasons and tells this beside.
///
/// \return nothing where no size is likely enough to be better
std::optional<ContinuationEstimate> continuationOf(const Posterior& posterior,
                                                   const PosteriorSummary& summary, const TrialCost& cost);

} // namespace batchpeak::search

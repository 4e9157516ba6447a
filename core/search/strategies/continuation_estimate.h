// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <optional>

namespace batchpeak::search {

class Posterior;
class TrialCost;
struct PosteriorSummary;

/// Estimates what continuing would take: comparisons of the recommended size with the one that most likely
/// beats it, until a lead as large as the tolerance is two standard deviations; and as many again for each
/// other size that may beat it too.
///
/// It decides nothing: a search ends for its own reasons and reports this in addition.
///
/// \return nothing if no size is likely enough to be better
std::optional<ContinuationEstimate> continuationOf(const Posterior& posterior,
                                                   const PosteriorSummary& summary, const TrialCost& cost);

} // namespace batchpeak::search

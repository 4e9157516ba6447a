// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuning.h"

#include "spec_checks.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::model {

double adapterScale(const Tuning& tuning)
{
    const auto rank = static_cast<double>(tuning.rank);
    return tuning.alpha / (tuning.rankStabilized ? std::sqrt(rank) : rank);
}

std::optional<std::string> problemWith(const Tuning& tuning)
{
    if (!hasAdapters(tuning))
        return std::nullopt;
    if (auto problem = problemWithSizes({{tuning.rank, "rank of the adapters"}}))
        return problem;
    if (tuning.targets.empty() && tuning.trainedParts.empty()) {
        return std::string("No projection has an adapter, so there is nothing to train; name some, such as "
                           "query and value.");
    }
    const bool hasNegativeLayer = std::ranges::any_of(tuning.targets, [](const AdapterTarget& target) {
        return std::ranges::any_of(target.layers, [](std::int64_t layer) { return layer < 0; });
    });
    if (hasNegativeLayer)
        return std::string(
            "The number of a layer with an adapter is below 0, but layers are counted from 0.");
    if (!std::isfinite(tuning.alpha))
        return std::string("The alpha of the adapters must be a finite number.");
    return problemWithDropout({tuning.dropout});
}

} // namespace batchpeak::model

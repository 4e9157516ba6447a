// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "growth_rule.h"

namespace batchpeak::accumulation {

GrowthDecision decideGrowth(std::int64_t current, std::int64_t increment, std::int64_t maximum)
{
    using Kind = GrowthDecision::Kind;
    if (increment == 0)
        return {.kind = Kind::Stays, .batchSize = current};
    // Written so that no sum overflows, whatever the batch_increase_function returns.
    if (increment > maximum - current)
        return {.kind = Kind::PassesMaximum, .batchSize = current};
    if (increment < 1 - current)
        return {.kind = Kind::LeavesNothing, .batchSize = current};
    return {.kind = Kind::Changes, .batchSize = current + increment};
}

} // namespace batchpeak::accumulation

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"

#include <cstdint>
#include <vector>

namespace batchpeak::cli {

/// The global batch sizes next to the plan's own that are made of whole micro-batches on every device,
/// that is the multiples of microBatchSize * devices: the plan's own alone where it is one, else the
/// next below (where there is one) and the next above.
std::vector<std::int64_t> nearestGlobalBatchSizes(const config::BatchPlan& plan, std::int64_t microBatchSize);

} // namespace batchpeak::cli

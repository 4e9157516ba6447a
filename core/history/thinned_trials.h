// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstddef>
#include <vector>

namespace batchpeak::engine {

/// So many of the measurements as \p most says, in their order: the newest, and of sizes that were tried
/// again and again fewer than of others. In turn, the oldest goes of a size that has most.
///
/// \param measurements  from the oldest to the newest
void thinOut(std::vector<search::Measurement>& measurements, std::size_t max);

} // namespace batchpeak::engine

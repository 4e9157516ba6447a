// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"

#include <cstddef>
#include <vector>

namespace batchpeak::engine {

/// Reduces the measurements to \p max, in their order: the newest are kept, and of sizes that were tried many
/// times relatively fewer. Each step removes the oldest measurement of a size that has the most.
///
/// \param measurements  from the oldest to the newest
void thinOut(std::vector<search::Measurement>& measurements, std::size_t max);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <memory>
#include <string_view>
#include <vector>

/// Returns the names of other programs' methods to find a size, for comparison. None of them states a
/// confidence.
std::vector<std::string_view> baselineNames();

/// Creates a baseline.
/// \return null if no baseline has this name
std::unique_ptr<batchpeak::search::Strategy> makeBaseline(std::string_view name,
                                                          const batchpeak::search::SearchSpace& space);

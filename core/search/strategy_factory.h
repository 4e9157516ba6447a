// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <memory>
#include <string_view>
#include <vector>

namespace batchpeak::search {

/// The strategies there are, as the command line names them.
std::vector<std::string_view> strategyNames();

/// The strategy of that name. Where only one size is allowed there is nothing to search, and it is
/// verified by one trial, whatever the name.
/// \throws std::invalid_argument with a sentence, where there is no such strategy or the space allows no
///         size
std::unique_ptr<Strategy> makeStrategy(std::string_view name, const SearchSpace& space);

} // namespace batchpeak::search

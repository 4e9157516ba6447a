// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_record.h"

#include <span>
#include <vector>

/// \throws std::invalid_argument where there is no such strategy or family
SearchRecord runSearch(const SearchTask& task);

/// Runs all on every processor; the records are in the order of the tasks and do not depend on the number of
/// processors, apart from the time of updates.
std::vector<SearchRecord> runSearches(std::span<const SearchTask> tasks);

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_record.h"

#include <string>
#include <vector>

/// Names of the columns, to be printed above the rows.
std::string figuresHeading();

/// One row: what many searches cost, and how right and how honest they were.
std::string figuresRow(const std::string& name, const std::vector<SearchRecord>& searches);

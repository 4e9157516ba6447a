// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"
#include "support/rows.h"

#include <string>
#include <string_view>

/// A row for each strategy there is, with its name.
inline void addStrategies()
{
    const auto add = rows<std::string>();
    for (const std::string_view name : batchpeak::search::strategyNames())
        add(std::string(name), std::string(name));
}

/// Whether a strategy looks for the fastest size, among those that probably fit, on all devices and until it
/// is confident. The others look for the largest that fits, one trial after another, and then end.
inline bool looksForTheFastest(std::string_view name)
{
    return name == "posterior" || name == "ramp";
}

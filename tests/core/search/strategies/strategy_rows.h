// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"
#include "support/rows.h"

#include <string>
#include <string_view>

/// Adds a row for each existing strategy, named after it.
inline void addStrategies()
{
    const auto add = rows<std::string>();
    for (const std::string_view name : batchpeak::search::strategyNames())
        add(std::string(name), std::string(name));
}

/// Whether a strategy looks for the fastest size among those that probably fit, on all devices and until it
/// is confident. The others look for the largest size that fits, one trial after another, and then end.
inline bool looksForTheFastest(std::string_view name)
{
    return name == "posterior" || name == "ramp";
}

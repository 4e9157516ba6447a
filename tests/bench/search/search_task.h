// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <cstdint>
#include <string>

/// One search to be run: on which device, by which strategy, asked for what.
struct SearchTask
{
    std::string strategy = "posterior";
    std::string family;
    std::uint64_t seed = 1;
    /// Only divisors of a per-device batch are allowed, as in the setting `auto`.
    bool divisorsOnly = false;
    batchpeak::search::Objective objective = batchpeak::search::Objective::Micro;
    double tolerance = 0.02;
    int devices = 1;
    /// Above 1: the search goes on until its trials are used up.
    double targetConfidence = 0.95;
};

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/curve/observations.h"

#include <cstdint>
#include <utility>
#include <vector>

/// Sizes, and the time of one micro-batch of each [s].
using Points = std::vector<std::pair<std::int64_t, double>>;

/// Returns trials of these points, with a step noise of one percent; they end five seconds apart.
inline batchpeak::search::Observations observationsOf(const Points& points)
{
    std::vector<batchpeak::search::Measurement> trials;
    double clock = 0.0;
    for (const auto& [size, seconds] : points) {
        clock += 5.0;
        trials.push_back({.size = size,
                          .outcome = batchpeak::trial::Outcome::Ok,
                          .secondsPerStep = seconds,
                          .steps = 5,
                          .relativeError = 0.006,
                          .clockSeconds = clock});
    }
    return batchpeak::search::Observations(trials);
}

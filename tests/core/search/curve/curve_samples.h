// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/curve/curve_trials.h"

/// Trials of these sizes and times [s], with a step noise of a percent and ends five seconds apart.
inline batchpeak::search::CurveTrials curveTrials(const std::vector<std::pair<std::int64_t, double>>& points)
{
    std::vector<batchpeak::search::Measurement> trials;
    double clock = 0.0;
    for (const auto& [size, seconds] : points) {
        clock += 5.0;
        trials.push_back({.size = size,
                          .outcome = batchpeak::search::Measurement::Outcome::Ok,
                          .secondsPerStep = seconds,
                          .steps = 5,
                          .relativeError = 0.006,
                          .clockSeconds = clock});
    }
    return batchpeak::search::CurveTrials(trials);
}

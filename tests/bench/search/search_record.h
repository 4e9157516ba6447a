// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <string>
#include <vector>

/// One search from beginning to end on a replayed device, and how right it was at every moment.
struct RecordedSearch
{
    /// What was said after one trial.
    struct Report
    {
        double stated = 0.0;
        /// 1 - samples/s of the recommended size over those of the best.
        double regret = 1.0;
        /// Cost so far over that of a ramp by powers of two.
        double ramps = 0.0;
    };
    std::vector<Report> reports;
    std::vector<double> updateMilliseconds;
    int outOfMemory = 0;
    double exhaustiveShare = 0.0;
    bool isConfident = false;

    const Report& last() const { return reports.back(); }
};

/// \throws std::invalid_argument where there is no such strategy or family
RecordedSearch searchOn(const std::string& strategy, const std::string& family, std::uint64_t seed);

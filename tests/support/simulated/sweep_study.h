// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"
#include "sweep_truth.h"

#include <cstdint>
#include <string>
#include <vector>

/// Share of the best speed that a size may lose when a sweep is judged.
inline constexpr double sweepTolerance = 0.02;

/// Returns sizes a quarter apart, the twelve largest.
std::vector<std::int64_t> gridUpTo(std::int64_t largest);

/// Returns visits of every size in each of eight rounds, in random order.
std::vector<SizeVisit> sweepOf(ReplayDevice& device, std::vector<std::int64_t> sizes, std::uint64_t seed);

/// Accuracy of SweepTruth on synthetic sweeps, whose truth is known.
struct SweepStudy
{
    /// Shares of the 90 % intervals that hold the true value: of the speed of each size, and of its ratio to
    /// the best size's.
    double speedsWithin = 0.0;
    double ratiosWithin = 0.0;
    /// Probability that the perfect forecaster states, and how often it is right.
    double perfectShare = 0.0;
    double perfectRight = 0.0;
};

/// \param world   world of deviceOf(); empty for devices whose trials differ by 1 % and by nothing else
/// \param sweeps  number of sweeps, each on a different device; their seeds count from 1
SweepStudy studySweeps(const std::string& world, int sweeps);

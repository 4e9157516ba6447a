// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"
#include "sweep_truth.h"

#include <cstdint>
#include <string>
#include <vector>

/// Largest loss of a size that still counts as right, as a share of the best speed.
inline constexpr double sweepTolerance = 0.02;

/// Returns the twelve largest sizes of a grid up to \p largest, whose sizes are a quarter apart.
std::vector<std::int64_t> gridUpTo(std::int64_t largest);

/// Returns the visits of a sweep, which visits every size in each of eight rounds, in random order.
std::vector<SizeVisit> sweepOf(ReplayDevice& device, std::vector<std::int64_t> sizes, std::uint64_t seed);

/// Accuracy of SweepTruth on synthetic sweeps, whose truth is known.
struct SweepStudy
{
    /// Shares of the 90 % intervals that contain the true value: for the speed of each size, and for its
    /// ratio to that of the best size.
    double speedsWithin = 0.0;
    double ratiosWithin = 0.0;
    /// Mean probability that the perfect forecaster states, and share of the sweeps in which it is right.
    double perfectShare = 0.0;
    double perfectRight = 0.0;
};

/// \param world   world of deviceOf(); empty for the calm world with a noise of 1 % between trials
/// \param sweeps  number of sweeps, each on a different device; their seeds are 1, 2, ...
SweepStudy studySweeps(const std::string& world, int sweeps);

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <string>
#include <vector>

/// Families of simulated devices. Each models one way in which curves of real devices deviate from a straight
/// line: launch overhead, waves of tiles over multiprocessors, kernel switches, caches, alignment, thrashing.
/// The largest sizes that fit range from 8 to 6000.
///
/// The calibration families serve to fit parameters. The held-out families serve for reports and share
/// neither formulas nor memory laws with them. The families of curved memory are held out too: their time is
/// a straight line, and their memory is curved in ways for which core/search has no formula.
std::vector<std::string> calibrationFamilies();
std::vector<std::string> heldOutFamilies();
std::vector<std::string> curvedMemoryFamilies();

/// Families in which all sizes from some size on are exactly equally fast, so that a preference for one of
/// them is a preference for noise.
std::vector<std::string> equalSpeedFamilies();

/// Families of small networks on a processor with much memory. Their speed is constant or decreases slightly
/// from a size between 2 and 250 on, while 2,000 to 10,000 samples fit. Trials of the largest sizes take
/// minutes and gain nothing.
std::vector<std::string> levelFamilies();

/// Returns one device of a family, which is the same for the same seed.
ReplayDevice::Truth simulatedDevice(const std::string& family, std::uint64_t seed);

/// Group of device families whose figures are reported together.
struct DeviceGroup
{
    std::string title;
    std::vector<std::string> families;
};

/// Returns the groups of the calibration families, the held-out families, the families of curved memory, of
/// equal speeds and of level speeds, and the recorded sweeps, each of which is a family.
std::vector<DeviceGroup> deviceGroups();

/// Returns one device of a family of any group, in one of the restlessWorlds() or, if \p world is empty, in
/// the calm world. A sweep does not determine the curve of a recorded device exactly: the seed selects one of
/// the possible curves (SweepTruth), and many seeds together judge a search by all of them.
///
/// \throws std::invalid_argument if there is no such family or world
ReplayDevice::Truth deviceOf(const std::string& family, std::uint64_t seed, const std::string& world = {});

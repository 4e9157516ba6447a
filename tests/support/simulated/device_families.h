// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <string>
#include <vector>

/// Families of simulated devices, each a way in which real curves were seen to leave a straight line:
/// launch overhead, waves of tiles over multiprocessors, kernel switches, caches, alignment, thrashing. Sizes
/// that fit reach from 8 to 6000.
///
/// The families of calibration are for fitting; those held out share neither formulas nor memory laws with
/// them, and are for reporting. Those of curved memory are held out too: their time is a straight line, and
/// their memory bends in ways that core/search has no formula for.
std::vector<std::string> calibrationFamilies();
std::vector<std::string> heldOutFamilies();
std::vector<std::string> curvedMemoryFamilies();

/// From some size on all are exactly as fast as each other: who prefers one of those prefers noise.
std::vector<std::string> equalSpeedFamilies();

/// Small networks on a processor with much memory: level, or falling a little, from a size between 2 and 250
/// on, where 2,000 to 10,000 samples fit. Trials of the largest sizes take minutes and gain nothing.
std::vector<std::string> levelFamilies();

/// One device of a family; the same for the same seed.
ReplayDevice::Truth simulatedDevice(const std::string& family, std::uint64_t seed);

/// Families of devices that figures are to be told of together.
struct DeviceGroup
{
    std::string title;
    std::vector<std::string> families;
};

/// Those for fitting, those held out, those of curved memory, those of equal speeds, the level ones, and
/// those recorded, where each sweep is a family.
std::vector<DeviceGroup> deviceGroups();

/// One device of a family of any group, in one of the restlessWorlds() or, with an empty name, in the calm
/// one. A recorded device is known no better than its sweep tells: the seed chooses one of the curves that
/// are possible (SweepTruth), and searches on many seeds are judged by the truth in the mean.
///
/// \throws std::invalid_argument where there is no such family or world
ReplayDevice::Truth deviceOf(const std::string& family, std::uint64_t seed, const std::string& world = {});

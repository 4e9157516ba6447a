// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <string>
#include <vector>

/// Families of simulated devices. Each models one way in which real curves were observed to deviate from a
/// straight line: launch overhead, waves of tiles over multiprocessors, kernel switches, caches, alignment,
/// thrashing. The largest sizes that fit range from 8 to 6000.
///
/// The calibration families are for fitting; the held-out families share neither formulas nor memory laws
/// with them, and are for reporting. The families of curved memory are held out too: their time is a straight
/// line, and their memory is curved in ways that core/search has no formula for.
std::vector<std::string> calibrationFamilies();
std::vector<std::string> heldOutFamilies();
std::vector<std::string> curvedMemoryFamilies();

/// Families whose sizes are all exactly equally fast from some size on: a preference for one of them is a
/// preference for noise.
std::vector<std::string> equalSpeedFamilies();

/// Families of small networks on a processor with much memory. Their speed is constant or falls a little from
/// a size between 2 and 250 on, while 2,000 to 10,000 samples fit. Trials of the largest sizes take minutes
/// and gain nothing.
std::vector<std::string> levelFamilies();

/// Returns one device of a family; the same device for the same seed.
ReplayDevice::Truth simulatedDevice(const std::string& family, std::uint64_t seed);

/// Families of devices whose figures are reported together.
struct DeviceGroup
{
    std::string title;
    std::vector<std::string> families;
};

/// Returns the calibration families, the held-out families, those of curved memory, those of equal speeds,
/// the level ones, and the recorded ones, where each sweep is a family.
std::vector<DeviceGroup> deviceGroups();

/// Returns one device of a family of any group, in one of the restlessWorlds() or, with an empty name, in the
/// calm world. A recorded device is known only as well as its sweep determines it: the seed chooses one of
/// the possible curves (SweepTruth), and searches on many seeds are judged by the mean truth.
///
/// \throws std::invalid_argument if there is no such family or world
ReplayDevice::Truth deviceOf(const std::string& family, std::uint64_t seed, const std::string& world = {});

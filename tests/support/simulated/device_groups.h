// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replay_device.h"

#include <cstdint>
#include <string>
#include <vector>

/// Families of devices that figures are to be told of together.
struct DeviceGroup
{
    std::string title;
    std::vector<std::string> families;
};

/// Those for fitting, those held out, and those recorded, where each sweep is a family.
std::vector<DeviceGroup> deviceGroups();

/// One device of a family of any group. Of a recorded one the seed changes nothing.
///
/// \throws std::invalid_argument where there is no such family
ReplayDevice::Truth deviceOf(const std::string& family, std::uint64_t seed);

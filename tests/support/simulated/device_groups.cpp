// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_groups.h"

#include "device_families.h"
#include "recorded_device.h"

#include <algorithm>
#include <filesystem>

namespace {

const std::filesystem::path sweepFolder = BATCHPEAK_RECORDED_SWEEPS;

std::filesystem::path sweepPath(const std::string& family)
{
    return sweepFolder / (family + ".csv");
}

std::vector<std::string> recordedFamilies()
{
    std::vector<std::string> families;
    for (const auto& entry : std::filesystem::directory_iterator(sweepFolder)) {
        if (entry.path().extension() == ".csv")
            families.push_back(entry.path().stem().string());
    }
    std::ranges::sort(families);
    return families;
}

} // namespace

std::vector<DeviceGroup> deviceGroups()
{
    return {{.title = "calibration", .families = calibrationFamilies()},
            {.title = "held out", .families = heldOutFamilies()},
            {.title = "recorded", .families = recordedFamilies()}};
}

ReplayDevice::Truth deviceOf(const std::string& family, std::uint64_t seed)
{
    if (!std::filesystem::exists(sweepPath(family)))
        return simulatedDevice(family, seed);
    ReplayDevice::Truth truth = recordedDevice(readSweep(sweepPath(family)));
    truth.family = family;
    return truth;
}

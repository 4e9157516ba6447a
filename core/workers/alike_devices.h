// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place_launch.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace batchpeak::engine {

/// Devices of a run on which a size is as fast and fits as well as on the others.
struct AlikeDevices
{
    /// "NVIDIA H200", or the kind if the name is not known. If two groups would have the same name, what
    /// distinguishes them follows in parentheses.
    QString name;
    std::vector<PlacedDevice> devices;
};

/// Returns the devices in groups of the same name, driver, libraries and, but for what a driver and other
/// programs keep of it, memory. The group of the first device comes first.
std::vector<AlikeDevices> alikeDevices(const std::vector<PlacedDevice>& devices);

/// Returns devices in \p count parts of about the same length, fewer if there are fewer devices.
std::vector<std::vector<PlacedDevice>> evenParts(const std::vector<PlacedDevice>& devices, std::size_t count);

/// Returns the words of a command line that name these devices, and the places where they are.
QStringList wordsFor(const std::vector<PlacedDevice>& devices);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"

#include <QStringList>

#include <vector>

namespace batchpeak::engine {

/// Which of the devices of this computer are meant.
///
/// \param words      "cpu", "cuda" (every GPU), "cuda:N"; empty stands for every GPU, else the CPU
/// \param available  as device::localDevices() lists them
/// \return each device once, in the order of the words
/// \throws ExplorationError for a word that is none of these, or a device that is not here
std::vector<device::LocalDevice> chooseDevices(const QStringList& words,
                                               const std::vector<device::LocalDevice>& available);

/// The devices that the words name wherever the launcher leads: what is there, only the worker can tell.
/// An empty list of words stands for the CPU.
/// \throws ExplorationError for a word that is no device
std::vector<device::LocalDevice> devicesBehindLauncher(const QStringList& words);

} // namespace batchpeak::engine

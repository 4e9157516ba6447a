// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"

#include <optional>
#include <span>
#include <string>

namespace batchpeak::worker {

/// What batchpeak-worker was asked for on its command line.
struct WorkerOptions
{
    network::DeviceId device;
    bool versionOnly = false;
    /// Why the command line makes no sense, as a full sentence; else empty.
    std::string problem;
};

/// \param arguments  without the program's name
WorkerOptions parseWorkerOptions(std::span<const char* const> arguments);

} // namespace batchpeak::worker

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/failure.h"

#include <string>

namespace batchpeak::worker {

/// Why a network could not be loaded or made ready to train, as a full sentence.
struct LoadProblem
{
    std::string text;
    /// Only a fresh process can go on.
    bool sticky = false;
};

/// What a failure of the device or of the computer means to who asked for the network.
LoadProblem problemOf(const network::Failure& failure);

/// The device's own memory was too small for it.
bool isOutOfDeviceMemory(const network::Failure& failure);

} // namespace batchpeak::worker

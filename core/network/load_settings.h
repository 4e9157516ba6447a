// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_id.h"
#include "network.h"
#include "trial/trial_request.h"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace batchpeak::network {

// What a LoadRequest means in libtorch's terms.

at::Device torchDevice(DeviceId device);

bool trains(const trial::LoadRequest& request);

/// Of parameters and gradients.
at::ScalarType parameterType(const trial::LoadRequest& request);

NetworkOptions networkOptions(const trial::LoadRequest& request, at::Device device);

/// \throws std::invalid_argument  a full sentence, where the network is impossible
void throwWhereImpossible(const trial::LoadRequest& request);

} // namespace batchpeak::network

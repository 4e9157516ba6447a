// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "required_baseline.h"

#include "flat_parameters.h"
#include "load_settings.h"
#include "network_factory.h"
#include "optimizer_step.h"

namespace batchpeak::network {

std::int64_t requiredBaselineBytes(const trial::LoadRequest& request)
{
    throwWhereImpossible(request);
    // As both devices' allocators round.
    const auto rounded = [](std::int64_t bytes) { return (bytes + 511) / 512 * 512; };
    const at::ScalarType type = parameterType(request);
    const std::int64_t elements = FlatParameters::bufferElements(networkParameters(request.model), type);
    const std::int64_t buffer = rounded(elements * static_cast<std::int64_t>(c10::elementSize(type)));

    std::int64_t bytes = rounded(sizeof(float)) + buffer;
    for (const std::int64_t tensor : networkBufferBytes(request.model, networkOptions(request, at::kCPU)))
        bytes += rounded(tensor);
    if (trains(request)) {
        bytes += buffer;
        for (const std::int64_t tensor : OptimizerStep::stateBytes(request.optimizer, elements, type))
            bytes += rounded(tensor);
    }
    return bytes;
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/step_memory.h"
#include "network/cpu_device_memory.h"
#include "network/step_runner.h"
#include "tiny_networks.h"

#include <QtGlobal>

#include <cmath>
#include <cstdint>
#include <variant>

namespace batchpeak::network {

/// Returns a tiny network whose layers take more memory than the parts around them.
inline model::Architecture deeper(model::Architecture architecture)
{
    std::visit(
        [](auto& spec) {
            if constexpr (requires { spec.layers; })
                spec.layers = 6;
            if constexpr (requires { spec.encoderLayers; })
                spec.encoderLayers = spec.decoderLayers = 3;
            if constexpr (requires { spec.vocabularySize; })
                spec.vocabularySize = 300;
        },
        architecture);
    return architecture;
}

inline trial::LoadRequest requestOf(const model::Architecture& architecture,
                                    const model::StepSettings& settings)
{
    trial::LoadRequest request = tinyRequest(architecture, settings.phase, settings.precision);
    request.optimizer = settings.optimizer;
    request.tuning = settings.tuning;
    request.step = settings.options;
    return request;
}

inline trial::LoadRequest requestFor(const model::Architecture& architecture,
                                     const model::StepSettings& settings = {})
{
    return requestOf(deeper(architecture), settings);
}

inline model::StepMemory estimateOf(const trial::LoadRequest& request)
{
    return *model::stepMemory(request.model, {.phase = request.phase,
                                              .sequenceLength = request.sequenceLength,
                                              .targetLength = request.targetLength.value_or(0),
                                              .precision = request.precision,
                                              .optimizer = request.optimizer,
                                              .options = request.step,
                                              .tuning = request.tuning});
}

/// Returns the peak of the next step [bytes]. On the CPU the first step of a runner takes as much as a later
/// one.
inline double peakOf(StepRunner& runner, DeviceMemory& memory, std::int64_t samples)
{
    runner.prepare(samples);
    memory.resetPeaks();
    runner.run(1);
    return static_cast<double>(memory.peakReservedBytes());
}

/// Returns the difference between the memory of a sample and its prediction, in standard deviations of the
/// prediction.
inline double errorOfSample(const trial::LoadRequest& request)
{
    // Both are beyond the sizes at which the loss and the weights' gradients dominate the memory.
    constexpr std::int64_t fewSamples = 8;
    constexpr std::int64_t manySamples = 16;
    CpuDeviceMemory memory;
    StepRunner runner(request, memory);
    const double few = peakOf(runner, memory, fewSamples);
    const double many = peakOf(runner, memory, manySamples);
    const double measured = (many - few) / static_cast<double>(manySamples - fewSamples);
    const model::StepMemory estimate = estimateOf(request);
    const double error = std::log(measured / estimate.bytesPerSample) / estimate.deviation;
    qInfo("measured %.0f, foretold %.0f bytes a sample: %.2f deviations", measured, estimate.bytesPerSample,
          error);
    return error;
}

} // namespace batchpeak::network

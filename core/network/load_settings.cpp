// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_settings.h"

#include <stdexcept>

namespace batchpeak::network {

namespace {

at::ScalarType computeType(const trial::LoadRequest& request)
{
    const bool narrow =
        request.precision == model::Precision::Bf16 || request.precision == model::Precision::PureBf16;
    return narrow ? at::kBFloat16 : at::kFloat;
}

// On a GPU, flash attention shares keys among queries but computes in 16 bits; the kernel for fp32
// does not share, and libtorch would fall back to whole attention matrices.
bool repeatsKeys(const trial::LoadRequest& request, at::Device device)
{
    return device.is_cuda() && computeType(request) == at::kFloat;
}

} // namespace

at::Device torchDevice(DeviceId device)
{
    if (device.kind == DeviceKind::Cpu)
        return at::Device(at::kCPU);
    return {at::kCUDA, static_cast<at::DeviceIndex>(device.index)};
}

bool trains(const trial::LoadRequest& request)
{
    return request.phase == model::Phase::Train;
}

at::ScalarType parameterType(const trial::LoadRequest& request)
{
    return request.precision == model::Precision::PureBf16 ? at::kBFloat16 : at::kFloat;
}

NetworkOptions networkOptions(const trial::LoadRequest& request, at::Device device)
{
    return {.device = device,
            .sequenceLength = request.sequenceLength,
            .parameterType = parameterType(request),
            .targetLength = request.targetLength.value_or(0),
            .computeType = computeType(request),
            .repeatsKeys = repeatsKeys(request, device),
            .trains = trains(request),
            .checkpoints = trains(request) && request.step.activationCheckpointing,
            .lossChunkRows = request.step.lossChunkRows};
}

void throwWhereImpossible(const trial::LoadRequest& request)
{
    if (const auto problem = model::problemWith(request.model))
        throw std::invalid_argument(*problem);
}

} // namespace batchpeak::network

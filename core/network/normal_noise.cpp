// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "normal_noise.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/empty.h>

namespace batchpeak::network {

namespace {

// Its own, since the device's default one belongs to dropout.
at::Generator newGenerator(at::Device device)
{
    if (device.is_cpu())
        return at::detail::createCPUGenerator();
    return at::globalContext().getAcceleratorHooksInterface(device.type()).getNewGenerator(device.index());
}

} // namespace

at::Tensor normalNoise(std::span<const SampleRow> rows, const std::vector<std::int64_t>& shape,
                       const at::TensorOptions& options)
{
    std::vector<std::int64_t> whole{static_cast<std::int64_t>(rows.size())};
    whole.insert(whole.end(), shape.begin(), shape.end());
    const at::Tensor noise = at::empty(whole, options);
    at::Generator generator = newGenerator(noise.device());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        generator.set_current_seed(rows[i].key);
        noise.select(0, static_cast<std::int64_t>(i)).normal_(0.0, 1.0, generator);
    }
    return noise;
}

} // namespace batchpeak::network

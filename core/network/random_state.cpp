// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_state.h"

#include <ATen/Context.h>

#include <mutex>

namespace batchpeak::network {

namespace {

at::Generator generatorOf(at::Device device)
{
    return at::globalContext().defaultGenerator(device);
}

} // namespace

void seedRandom(at::Device device, std::uint64_t seed)
{
    at::Generator generator = generatorOf(device);
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(seed);
}

at::Tensor randomState(at::Device device)
{
    at::Generator generator = generatorOf(device);
    const std::lock_guard lock(generator.mutex());
    return generator.get_state();
}

void setRandomState(at::Device device, const at::Tensor& state)
{
    at::Generator generator = generatorOf(device);
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "execution_state.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include <mutex>

namespace batchpeak::network {

namespace {

at::Generator generatorOf(at::Device device)
{
    return at::globalContext().defaultGenerator(device);
}

} // namespace

AutocastGuard::AutocastGuard(c10::DeviceType device, std::optional<c10::ScalarType> type) : m_device(device)
{
    if (!type)
        return;
    m_before = {.enabled = at::autocast::is_autocast_enabled(device),
                .type = at::autocast::get_autocast_dtype(device)};
    at::autocast::set_autocast_dtype(device, *type);
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::increment_nesting();
}

AutocastGuard::~AutocastGuard()
{
    if (!m_before)
        return;
    if (at::autocast::decrement_nesting() == 0)
        at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(m_device, m_before->enabled);
    at::autocast::set_autocast_dtype(m_device, m_before->type);
}

WithoutOneDnn::WithoutOneDnn() : m_wasUsed(at::globalContext().userEnabledMkldnn())
{
    at::globalContext().setUserEnabledMkldnn(false);
}

WithoutOneDnn::~WithoutOneDnn()
{
    at::globalContext().setUserEnabledMkldnn(m_wasUsed);
}

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

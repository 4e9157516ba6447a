// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "loss_scale.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

namespace batchpeak::network {

namespace {

// GradScaler.__init__ in torch/amp/grad_scaler.py of torch 2.11.
constexpr double firstScale = 65536.0;
constexpr double growthFactor = 2.0;
constexpr double backoffFactor = 0.5;
constexpr std::int64_t growthInterval = 2000;

} // namespace

LossScale::LossScale(at::Device device)
{
    const auto options = at::TensorOptions(device).dtype(at::kFloat);
    m_scale = at::full({}, firstScale, options);
    m_growthTracker = at::zeros({}, options.dtype(at::kInt));
    m_isInfinite = at::zeros({}, options);
    m_one = at::ones({}, options);
}

void LossScale::check(const at::Tensor& gradients, bool unscales)
{
    m_isInfinite.zero_();
    at::_amp_foreach_non_finite_check_and_unscale_({gradients}, m_isInfinite,
                                                   unscales ? m_scale.reciprocal() : m_one);
}

void LossScale::update()
{
    at::_amp_update_scale_(m_scale, m_growthTracker, m_isInfinite, growthFactor, backoffFactor,
                           growthInterval);
}

std::vector<NamedTensor> LossScale::state() const
{
    return {{.name = "scale", .tensor = m_scale}, {.name = "_growth_tracker", .tensor = m_growthTracker}};
}

std::vector<std::int64_t> LossScale::tensorBytes()
{
    constexpr std::int64_t floatBytes = sizeof(float);
    constexpr std::int64_t countBytes = sizeof(std::int32_t);
    return {floatBytes, countBytes, floatBytes, floatBytes};
}

} // namespace batchpeak::network

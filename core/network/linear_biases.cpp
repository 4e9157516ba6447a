// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "linear_biases.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace batchpeak::network {

namespace {

// A geometric sequence that starts at 2^(-8/n) for n heads, a power of two; the rest of the heads takes
// every other slope of twice as many.
std::vector<float> slopesOf(std::int64_t heads)
{
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    const auto slope = [](std::int64_t of, std::int64_t index) {
        const double exponent = -8.0 * static_cast<double>(index) / static_cast<double>(of);
        return static_cast<float>(std::exp2(exponent));
    };
    std::vector<float> slopes;
    for (std::int64_t i = 1; i <= power; ++i)
        slopes.push_back(slope(power, i));
    for (std::int64_t i = 1; i <= heads - power; ++i)
        slopes.push_back(slope(2 * power, 2 * i - 1));
    return slopes;
}

} // namespace

at::Tensor linearBiases(std::int64_t heads, std::int64_t length, at::ScalarType type, at::Device device)
{
    const auto options = at::TensorOptions(device).dtype(type);
    const at::Tensor slopes = at::tensor(slopesOf(heads)).to(options).view({heads, 1, 1});
    const at::Tensor positions = at::arange(length, at::TensorOptions(device).dtype(at::kFloat)).to(type);
    constexpr double never = -std::numeric_limits<double>::infinity();
    const at::Tensor later = at::full({length, length}, never, options).triu_(1);
    at::Tensor biases = slopes.mul(positions).expand({heads, length, length}).clone();
    return biases.add_(later);
}

} // namespace batchpeak::network

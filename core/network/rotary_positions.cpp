// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rotary_positions.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>

#include <vector>

namespace batchpeak::network {

std::int64_t RotaryPositions::tableElements(std::int64_t dimensions, std::int64_t length)
{
    return length * dimensions / 2;
}

RotaryPositions::RotaryPositions(std::int64_t dimensions, std::int64_t length, double theta,
                                 at::ScalarType type, at::Device device)
{
    const auto options = at::TensorOptions(device).dtype(at::kFloat);
    const at::Tensor exponents = at::arange(0, dimensions, 2, options).div(-static_cast<double>(dimensions));
    const at::Tensor angles = at::outer(at::arange(length, options), at::pow(theta, exponents));
    // {length, 1, dimensions / 2}: alike for all heads.
    m_cosines = angles.cos().to(type).unsqueeze(1);
    m_sines = angles.sin().to(type).unsqueeze(1);
}

at::Tensor RotaryPositions::rotated(const at::Tensor& heads) const
{
    const std::int64_t half = m_cosines.size(-1);
    const std::int64_t rest = heads.size(-1) - 2 * half;
    const at::Tensor first = heads.narrow(-1, 0, half);
    const at::Tensor second = heads.narrow(-1, half, half);
    const at::Tensor cosines = m_cosines.narrow(0, 0, heads.size(1));
    const at::Tensor sines = m_sines.narrow(0, 0, heads.size(1));
    std::vector<at::Tensor> parts{first.mul(cosines).sub(second.mul(sines)),
                                  second.mul(cosines).add(first.mul(sines))};
    if (rest > 0)
        parts.push_back(heads.narrow(-1, 2 * half, rest));
    return at::cat(parts, -1);
}

} // namespace batchpeak::network

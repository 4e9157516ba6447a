// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rotary_positions.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <torch/csrc/autograd/custom_function.h>

namespace batchpeak::network {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// \param direction  1 to turn, -1 to turn back
at::Tensor turned(const at::Tensor& heads, const at::Tensor& cosines, const at::Tensor& sines,
                  double direction)
{
    const std::int64_t half = cosines.size(-1);
    const std::int64_t rest = heads.size(-1) - 2 * half;
    const at::Tensor result = at::empty(heads.sizes(), heads.options());
    const at::Tensor first = heads.narrow(-1, 0, half);
    const at::Tensor second = heads.narrow(-1, half, half);
    at::Tensor turnedFirst = result.narrow(-1, 0, half);
    at::Tensor turnedSecond = result.narrow(-1, half, half);
    at::mul_out(turnedFirst, first, cosines).addcmul_(second, sines, -direction);
    at::mul_out(turnedSecond, second, cosines).addcmul_(first, sines, direction);
    if (rest > 0)
        result.narrow(-1, 2 * half, rest).copy_(heads.narrow(-1, 2 * half, rest));
    return result;
}

// One operation for autograd, which writes each half in its place: eager PyTorch's own way cuts, negates
// and joins, and so moves every element several times more.
struct Rotation : torch::autograd::Function<Rotation>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& heads, const at::Tensor& cosines,
                              const at::Tensor& sines)
    {
        context->save_for_backward({cosines, sines});
        return turned(heads, cosines, sines, 1.0);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const variable_list tables = context->get_saved_variables();
        return {turned(gradients.front(), tables[0], tables[1], -1.0), at::Tensor(), at::Tensor()};
    }
};

} // namespace

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
    const std::int64_t length = heads.size(1);
    return Rotation::apply(heads, m_cosines.narrow(0, 0, length), m_sines.narrow(0, 0, length));
}

} // namespace batchpeak::network

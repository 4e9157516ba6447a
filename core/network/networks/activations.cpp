// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "activations.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/square.h>
#include <ATen/ops/tanh.h>
#include <torch/csrc/autograd/custom_function.h>

#include <numbers>

namespace batchpeak::network {

namespace {

constexpr double cubicShare = 0.044715;
constexpr double rootOfHalf = 1.0 / std::numbers::sqrt2;
/// sqrt(2 / pi)
constexpr double slope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

// Operations and their order are those of transformers 5.23.0: they decide what is kept for the backward
// pass, and autocast widens some of them on a GPU.

at::Tensor newGelu(const at::Tensor& input)
{
    const at::Tensor inner = (input + at::pow(input, 3.0) * cubicShare) * slope;
    return input * 0.5 * (at::tanh(inner) + 1.0);
}

at::Tensor fastTangent(const at::Tensor& input)
{
    return at::tanh(input * slope * (input * cubicShare * input + 1.0));
}

at::Tensor fastGelu(const at::Tensor& input)
{
    return input * 0.5 * (fastTangent(input) + 1.0);
}

at::Tensor pythonGelu(const at::Tensor& input)
{
    return input * 0.5 * (at::erf(input * rootOfHalf) + 1.0);
}

struct BloomGelu : torch::autograd::Function<BloomGelu>
{
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input)
    {
        context->save_for_backward({input});
        return fastGelu(input);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients)
    {
        const at::Tensor input = context->get_saved_variables().front();
        const at::Tensor tangent = fastTangent(input);
        const at::Tensor rising =
            (tangent * tangent - 1.0).neg() * (input * (3.0 * cubicShare * slope) * input + slope);
        return {(input * 0.5 * rising + (tangent + 1.0) * 0.5) * gradients.front()};
    }
};

at::Tensor gated(const at::Tensor& inner, at::Tensor (*gate)(const at::Tensor&))
{
    const auto halves = inner.chunk(2, -1);
    return gate(halves[0]).mul(halves[1]);
}

at::Tensor tanhGelu(const at::Tensor& input)
{
    return at::gelu(input, "tanh");
}

} // namespace

at::Tensor activated(const at::Tensor& inner, model::Activation kind)
{
    using enum model::Activation;
    switch (kind) {
    case Gelu:
        return at::gelu(inner, "none");
    case GeluTanh:
        return tanhGelu(inner);
    case GeluNew:
        return newGelu(inner);
    case GeluFast:
        return fastGelu(inner);
    case GeluPython:
        return pythonGelu(inner);
    case model::Activation::BloomGelu:
        return network::BloomGelu::apply(inner);
    case Relu:
        return at::relu(inner);
    case ReluSquared:
        return at::relu(inner).square();
    case SwiGlu:
        return gated(inner, at::silu);
    case GeGlu:
        return gated(inner, tanhGelu);
    case GeGluNew:
        return gated(inner, newGelu);
    }
    return inner;
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_quantized_matrix.h"

#include "optimizers/flat_parameters.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/round.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace batchpeak::network {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rounds, and passes gradients on as if nothing were rounded (straight-through estimator, arXiv 1308.3432).
struct Rounded : torch::autograd::Function<Rounded>
{
    static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& values)
    {
        return at::round(values);
    }
    static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients)
    {
        return {gradients.front()};
    }
};

/// Does the same for rounding to 8-bit floats with 4 bits of exponent.
struct RoundedToFloat8 : torch::autograd::Function<RoundedToFloat8>
{
    static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& values)
    {
        return values.to(at::kFloat8_e4m3fn).to(at::kFloat);
    }
    static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients)
    {
        return {gradients.front()};
    }
};

/// The smallest and the largest integer.
struct Range
{
    double min = 0.0;
    double max = 0.0;
};

struct Scales
{
    at::Tensor scale;
    at::Tensor zero;
};

double smallestStep(at::ScalarType type)
{
    constexpr double ofBfloat16 = 1.0 / 128.0;
    constexpr double ofFloat16 = 1.0 / 1024.0;
    if (type == at::kHalf)
        return ofFloat16;
    return type == at::kBFloat16 ? ofBfloat16 : std::numeric_limits<float>::epsilon();
}

/// choose_qparams_affine with MappingType.SYMMETRIC, over the last dimension.
Scales symmetricScales(const at::Tensor& groups, const Range& range)
{
    const at::NoGradGuard constant;
    const at::Tensor min = at::amin(groups, {-1}, /*keepdim=*/true);
    const at::Tensor max = at::amax(groups, {-1}, /*keepdim=*/true);
    const at::Tensor below = at::minimum(min, at::zeros_like(min));
    const at::Tensor above = at::maximum(max, at::zeros_like(max));
    at::Tensor scale = at::maximum(below.neg(), above).div((range.max - range.min) / 2.0);
    const at::Tensor zero = at::full_like(scale, 0.0);
    scale = scale.clamp_min(smallestStep(groups.scalar_type()));
    return {.scale = scale.to(at::kFloat), .zero = zero.to(at::kFloat)};
}

/// Quantizer with MappingType.ASYMMETRIC, where zero is a number of the range.
Scales asymmetricScales(const at::Tensor& groups, const Range& range)
{
    const at::NoGradGuard constant;
    const at::Tensor min = at::amin(groups, {-1}, /*keepdim=*/true);
    const at::Tensor max = at::amax(groups, {-1}, /*keepdim=*/true);
    const at::Tensor below = at::minimum(min, at::zeros_like(min));
    const at::Tensor above = at::maximum(max, at::zeros_like(max));
    at::Tensor scale = above.sub(below).div(range.max - range.min);
    scale = scale.clamp_min(smallestStep(groups.scalar_type()));
    const at::Tensor zero = at::rsub(at::round(below.div(scale)), range.min).clamp(range.min, range.max);
    return {.scale = scale.to(at::kFloat), .zero = zero.to(at::kFloat)};
}

/// _fake_quantize_affine with an integer zero point. Each result replaces the one before, so that no more of
/// them are alive at once than in Python.
at::Tensor asIntegers(const at::Tensor& groups, const Scales& scales, const Range& range)
{
    const at::ScalarType type = groups.scalar_type();
    at::Tensor values = groups.mul(scales.scale.reciprocal().mul(1.0));
    values = Rounded::apply(values);
    values = values.add(scales.zero);
    values = values.clamp(range.min, range.max);
    values = values.to(type, /*non_blocking=*/false, /*copy=*/true);
    values = values.sub(scales.zero.to(type));
    values = values.mul(scales.scale);
    return values.to(type);
}

/// _fake_quantize_affine with ZeroPointDomain.FLOAT, and _choose_qparams_affine_tinygemm.
at::Tensor asIntegersAboveLeast(const at::Tensor& groups)
{
    constexpr double max = 15.0;
    constexpr double middle = 8.0;
    constexpr double smallestScale = 1e-6;
    at::Tensor scale;
    at::Tensor zero;
    {
        const at::NoGradGuard constant;
        const at::Tensor min = at::amin(groups, {-1}, /*keepdim=*/true);
        scale = at::amax(groups, {-1}, /*keepdim=*/true).sub(min).div(max).clamp_min(smallestScale);
        zero = min.add(scale.mul(middle)).to(at::kBFloat16);
        scale = scale.to(at::kBFloat16);
    }
    at::Tensor values = groups.sub(zero.sub(scale.mul(middle)));
    values = values.div(scale);
    values = Rounded::apply(values);
    values = values.clamp(0.0, max);
    values = values.sub(middle);
    values = values.to(groups.scalar_type());
    values.mul_(scale);
    values.add_(zero);
    return values;
}

/// _nvfp4_quantize of prototype/mx_formats/nvfp4_tensor.py without a scale for the whole tensor, which
/// NVFP4InferenceConfig does not have, and without the last rounding, which NVFP4FakeQuantizer leaves out.
at::Tensor asNarrowFloats(const at::Tensor& values)
{
    constexpr std::int64_t blockSize = 16;
    constexpr double largest = 6.0;
    constexpr double smallestScale = 1.0 / 64.0;
    constexpr double largestScale = 448.0;
    const std::int64_t inputs = values.size(-1);
    const at::Tensor blocks = values.reshape({-1, inputs / blockSize, blockSize}).to(at::kFloat);
    at::Tensor scale = at::amax(blocks.abs(), {-1});
    scale = scale.div(largest);
    scale = scale.clamp(smallestScale, largestScale);
    at::Tensor scaled = blocks.div(RoundedToFloat8::apply(scale).unsqueeze(-1));
    scaled = scaled.clamp(-largest, largest);
    scaled = scaled.to(values.scalar_type());
    scaled = scaled.mul(scale.unsqueeze(-1));
    return scaled.view(values.sizes()).to(values.scalar_type());
}

constexpr Range fourBits{.min = -8.0, .max = 7.0};
constexpr Range eightBits{.min = -128.0, .max = 127.0};

bool isEmbedding(const std::string& name)
{
    return name.starts_with("embed_");
}

std::vector<model::FakeQuantizedRows> partsOf(const FlatParameters& parameters, const std::string& name)
{
    const model::Tuning& tuning = parameters.tuning();
    const model::FakeQuantization& rounding = tuning.fakeQuantization;
    const model::Parameter* matrix = parameters.rowOf(name + ".weight");
    const bool isShared = !matrix && name == "output" && rounding.sharedOutput;
    if (isShared)
        matrix = parameters.rowOf("embed_tokens.weight");
    if (!matrix)
        return {};
    if (!isShared && !(isEmbedding(name) && rounding.embeddings))
        return model::fakeQuantizedRows(*matrix, tuning);
    const bool isWhole = matrix->shape.back() % groupSizeOf(rounding, matrix->shape.back()) == 0;
    if (matrix->shape.size() != 2 || !isWhole)
        return {};
    return {{.rows = matrix->shape.front(), .isRounded = true}};
}

} // namespace

std::shared_ptr<const FakeQuantizedMatrix> fakeQuantizedMatrixOf(const FlatParameters& parameters,
                                                                 const std::string& name)
{
    const model::FakeQuantization& rounding = parameters.tuning().fakeQuantization;
    if (!roundsAnything(rounding))
        return nullptr;
    std::vector<model::FakeQuantizedRows> parts = partsOf(parameters, name);
    if (parts.empty())
        return nullptr;
    return std::make_shared<const FakeQuantizedMatrix>(
        FakeQuantizedMatrix{.rounding = rounding, .parts = std::move(parts)});
}

at::Tensor fakeQuantized(const at::Tensor& weights, const model::FakeQuantization& rounding)
{
    using enum model::FakeQuantizedWeights;
    if (rounding.weights == None)
        return weights;
    if (rounding.weights == Nvfp4)
        return asNarrowFloats(weights);
    const at::Tensor groups = weights.view({weights.size(0), -1, groupSizeOf(rounding, weights.size(1))});
    if (rounding.weights == Uint4)
        return asIntegersAboveLeast(groups).view(weights.sizes());
    const Range range = rounding.weights == Int4 ? fourBits : eightBits;
    return asIntegers(groups, symmetricScales(groups, range), range).view(weights.sizes());
}

at::Tensor fakeQuantizedInputs(const at::Tensor& inputs, const model::FakeQuantization& rounding)
{
    switch (rounding.activations) {
    case model::FakeQuantizedActivations::None:
        break;
    case model::FakeQuantizedActivations::Int8:
        return asIntegers(inputs, asymmetricScales(inputs, eightBits), eightBits);
    case model::FakeQuantizedActivations::Nvfp4:
        return asNarrowFloats(inputs);
    }
    return inputs;
}

at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                  const FakeQuantizedMatrix& matrix)
{
    const auto product = [&](const at::Tensor& values, const at::Tensor& added, bool isRounded) {
        if (!isRounded)
            return at::linear(input, values, added);
        const at::Tensor rounded = fakeQuantizedInputs(input, matrix.rounding);
        return at::linear(rounded, fakeQuantized(values, matrix.rounding), added);
    };
    if (matrix.parts.size() == 1)
        return product(weight, bias, matrix.parts.front().isRounded);
    std::vector<std::int64_t> rows;
    for (const model::FakeQuantizedRows& part : matrix.parts)
        rows.push_back(part.rows);
    // Split in one operation: the backward pass of single slices would make the gradient of the whole matrix
    // for each.
    const std::vector<at::Tensor> weights = weight.split_with_sizes(rows);
    const std::vector<at::Tensor> biases =
        bias.defined() ? bias.split_with_sizes(rows) : std::vector<at::Tensor>(rows.size());
    std::vector<at::Tensor> results;
    for (std::size_t i = 0; i < rows.size(); ++i)
        results.push_back(product(weights[i], biases[i], matrix.parts[i].isRounded));
    return at::cat(results, -1);
}

} // namespace batchpeak::network

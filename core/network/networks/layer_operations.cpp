// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "layer_operations.h"

#include "adapters.h"
#include "kernels/fake_quantized_matrix.h"
#include "kernels/quantized_linear.h"
#include "optimizers/flat_parameters.h"
#include "position_embeddings.h"

#include <ATen/ops/bincount.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>
#include <vector>

namespace batchpeak::network {

namespace {

at::Tensor prepared(const at::Tensor& heads, const Affine& norm, double epsilon,
                    const RotaryPositions* rotary)
{
    const at::Tensor result = normalized(heads, norm, model::Normalization::RmsNorm, epsilon);
    return rotary ? rotary->rotated(result) : result;
}

at::Tensor product(const at::Tensor& input, const Affine& affine, bool trains)
{
    if (affine.quantized)
        return linear(input, *affine.quantized, affine.bias, trains);
    if (affine.fakeQuantized)
        return linear(input, affine.weight, affine.bias, *affine.fakeQuantized);
    return at::linear(input, affine.weight, affine.bias);
}

} // namespace

Affine affineOf(const FlatParameters& parameters, const std::string& name)
{
    const auto orUndefined = [&parameters](const std::string& key) {
        return parameters.contains(key) ? parameters.at(key) : at::Tensor();
    };
    return {.weight = orUndefined(name + ".weight"),
            .bias = orUndefined(name + ".bias"),
            .quantized = parameters.quantized(name + ".weight"),
            .adapters = adaptersOf(parameters, name),
            .fakeQuantized = fakeQuantizedMatrixOf(parameters, name)};
}

Affine outputOf(const FlatParameters& parameters, const Affine& embedding)
{
    Affine output = affineOf(parameters, "output");
    if (!output.weight.defined())
        output.weight = embedding.weight;
    return output;
}

TransformerLayer transformerLayerOf(const FlatParameters& parameters, const std::string& prefix)
{
    return {.attentionNorm = affineOf(parameters, prefix + "attention_norm"),
            .qkv = affineOf(parameters, prefix + "attention.qkv"),
            .attentionOutput = affineOf(parameters, prefix + "attention.output"),
            .feedForwardNorm = affineOf(parameters, prefix + "feed_forward_norm"),
            .up = affineOf(parameters, prefix + "feed_forward.up"),
            .down = affineOf(parameters, prefix + "feed_forward.down")};
}

at::Tensor rowsOf(const Affine& embedding)
{
    const auto& rounded = embedding.fakeQuantized;
    return rounded ? fakeQuantized(embedding.weight, rounded->rounding) : embedding.weight;
}

at::Tensor linear(const at::Tensor& input, const Affine& affine, bool trains)
{
    at::Tensor result = product(input, affine, trains);
    if (!affine.adapters)
        return result;
    const auto values = [&affine, &input] {
        return affine.quantized ? affine.quantized->dequantized(input.scalar_type()) : affine.weight;
    };
    return adapted(result, input,
                   {.values = values, .bias = affine.bias, .isQuantized = affine.quantized != nullptr},
                   *affine.adapters, trains);
}

at::Tensor normalized(const at::Tensor& input, const Affine& norm, model::Normalization kind, double epsilon)
{
    const std::int64_t size = input.size(-1);
    if (kind == model::Normalization::RmsNorm) {
        // Autocast may have narrowed the heads and not the weight. If both have one dtype, PyTorch 2.11 uses
        // one kernel; if they have two, it runs each operation of the formula.
        return at::rms_norm(input, {size}, norm.weight.to(input.scalar_type()), epsilon);
    }
    // An fp32 input may meet frozen 16-bit weights, which autocast widens on a GPU but not on the CPU.
    const auto widened = [&input](const at::Tensor& values) {
        return input.scalar_type() == at::kFloat && values.defined() ? values.to(at::kFloat) : values;
    };
    return at::layer_norm(input, {size}, widened(norm.weight), widened(norm.bias), epsilon);
}

at::Tensor dropped(const at::Tensor& input, double probability, bool trains)
{
    if (!trains || probability == 0.0)
        return input;
    return at::dropout(input, probability, /*train=*/true);
}

at::Tensor softCapped(at::Tensor values, double cap)
{
    if (cap == 0.0)
        return values;
    values = values.div(cap);
    values = values.tanh();
    return values.mul(cap);
}

AttentionHeads attentionHeads(const at::Tensor& stacked, std::int64_t queries, std::int64_t keys,
                              const RotaryPositions* rotary, const HeadNorms* norms)
{
    std::vector<at::Tensor> parts;
    if (norms) {
        parts = stacked.split_with_sizes({queries, keys, keys}, 2);
        parts[0] = prepared(parts[0], norms->query, norms->epsilon, rotary);
        parts[1] = prepared(parts[1], norms->key, norms->epsilon, rotary);
    } else if (rotary) {
        const auto cut = stacked.split_with_sizes({queries + keys, keys}, 2);
        parts = rotary->rotated(cut[0]).split_with_sizes({queries, keys}, 2);
        parts.push_back(cut[1]);
    } else {
        parts = stacked.split_with_sizes({queries, keys, keys}, 2);
    }
    return {.query = parts[0].transpose(1, 2),
            .key = parts[1].transpose(1, 2),
            .value = parts[2].transpose(1, 2)};
}

at::Tensor joined(const at::Tensor& heads)
{
    return heads.transpose(1, 2).flatten(2, 3);
}

at::Tensor mixed(const at::Tensor& tokens, const at::Tensor& router, std::int64_t expertsPerToken,
                 const Expert& expert)
{
    const at::Tensor chances = at::softmax(at::linear(tokens, router).to(at::kFloat), -1);
    const auto [best, chosen] = at::topk(chances, expertsPerToken, -1);
    const at::Tensor weights = best.div(best.sum(-1, /*keepdim=*/true)).flatten();

    // Pairs of a token and one of its experts, sorted by expert.
    const at::Tensor experts = chosen.flatten();
    const at::Tensor order = experts.argsort(/*stable=*/true);
    const at::Tensor tokenOf = order.div(expertsPerToken, "floor");
    const at::Tensor counts = at::bincount(experts, {}, router.size(0)).to(at::kCPU);
    const std::vector<at::Tensor> gathered =
        tokens.index_select(0, tokenOf)
            .split_with_sizes(
                {counts.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(counts.numel())});

    std::vector<at::Tensor> outputs;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        if (gathered[i].size(0) > 0)
            outputs.push_back(expert(gathered[i], i));
    }
    const at::Tensor all = at::cat(outputs, 0);
    const at::Tensor weighted = all.mul(weights.index_select(0, order).unsqueeze(1)).to(tokens.scalar_type());
    return at::zeros_like(tokens).index_add(0, tokenOf, weighted);
}

} // namespace batchpeak::network

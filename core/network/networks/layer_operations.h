// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace batchpeak::network {

struct Adapters;
struct FakeQuantizedMatrix;
class FlatParameters;
class QuantizedMatrix;
class RotaryPositions;

/// What the layers of networks share: each is one choice of a spec, as an operation.

/// The weight and the bias of one operation; either may be undefined, where the network has none.
struct Affine
{
    at::Tensor weight;
    at::Tensor bias;
    /// In the place of the weight, where that is quantized; it lives as long as the parameters.
    const QuantizedMatrix* quantized = nullptr;
    /// Beside the weight; null where there are none.
    std::shared_ptr<const Adapters> adapters = nullptr;
    /// How the weight and what it is multiplied with are rounded; null where they are not.
    std::shared_ptr<const FakeQuantizedMatrix> fakeQuantized = nullptr;
};

/// "name.weight" and "name.bias", each undefined where the parameters hold no such name, with all that stands
/// beside them.
Affine affineOf(const FlatParameters& parameters, const std::string& name);

/// What the layers of all transformers have; of each, what is undefined its network has not.
struct TransformerLayer
{
    Affine attentionNorm;
    /// Query, key and value.
    Affine qkv;
    Affine attentionOutput;
    Affine feedForwardNorm;
    Affine up;
    Affine down;
};

/// \param prefix  of the layer's parameters, with the point behind it
TransformerLayer transformerLayerOf(const FlatParameters& parameters, const std::string& prefix);

/// The projection onto a vocabulary: "output", or where there is none the weight of the embedding.
Affine outputOf(const FlatParameters& parameters, const Affine& embedding);

/// All rows of an embedding, rounded where they are to be quantized.
at::Tensor rowsOf(const Affine& embedding);

/// input x weight^T + bias, and what adapters add; weight {outputs, inputs}.
///
/// \param trains  dropout before adapters is active
at::Tensor linear(const at::Tensor& input, const Affine& affine, bool trains);

/// Over the last dimension; without a bias where the norm has none.
at::Tensor normalized(const at::Tensor& input, const Affine& norm, model::Normalization kind, double epsilon);

/// \return the input itself where nothing is to be dropped
at::Tensor dropped(const at::Tensor& input, double probability, bool trains);

/// cap * tanh(values / cap), by the operations that transformers 5.23.0 has for it
/// (models/gemma2/modeling_gemma2.py); the values themselves where the cap is 0.
at::Tensor softCapped(at::Tensor values, double cap);

/// {samples, heads, length, head size} each, as attention takes them.
struct AttentionHeads
{
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
};

/// RMSNorms over each head of the queries and of the keys, before they are rotated: the heads of either share
/// one weight, of a head's size.
struct HeadNorms
{
    Affine query;
    Affine key;
    double epsilon = 0.0;
};

/// Cuts apart what one product has computed together, so that backward joins the gradients in one copy:
/// taking each part out alone would fill a gradient of the whole for each, and add them.
///
/// \param stacked  {samples, length, queries + 2 x keys, head size}
/// \param rotary  turns queries and keys where the network has it; may be null
/// \param norms  of queries and keys where the network has them; may be null
AttentionHeads attentionHeads(const at::Tensor& stacked, std::int64_t queries, std::int64_t keys,
                              const RotaryPositions* rotary, const HeadNorms* norms = nullptr);

/// {samples, heads, length, head size} -> {samples, length, heads x head size}
at::Tensor joined(const at::Tensor& heads);

/// The feed-forward layer of one expert: tokens {n, hidden size} in, as many out.
using Expert = std::function<at::Tensor(const at::Tensor& tokens, std::size_t index)>;

/// Sends every token through the experts that the router prefers for it, and adds up what they say, each
/// weighted by the router's softmax over the chosen ones (Mixtral, arXiv 2401.04088, 2.1). Tokens are
/// gathered for each expert, so that its work is one product of all of them; how many those are decides
/// the shapes, so the host waits for the device here, as it does in every eager implementation.
///
/// \param tokens  {n, hidden size}
/// \param router  {experts, hidden size}
at::Tensor mixed(const at::Tensor& tokens, const at::Tensor& router, std::int64_t expertsPerToken,
                 const Expert& expert);

} // namespace batchpeak::network

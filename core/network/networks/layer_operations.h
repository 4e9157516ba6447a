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

/// Operations that the layers of several networks share. Each of them implements one option of a spec.

/// The weight and the bias of one operation; either is undefined if the network has none.
struct Affine
{
    at::Tensor weight;
    at::Tensor bias;
    /// Replaces the weight if that is quantized; it lives as long as the parameters.
    const QuantizedMatrix* quantized = nullptr;
    /// Adapters of the weight; null if there are none.
    std::shared_ptr<const Adapters> adapters = nullptr;
    /// How the weight and the inputs of its product are rounded; null if they are not.
    std::shared_ptr<const FakeQuantizedMatrix> fakeQuantized = nullptr;
};

/// Returns "name.weight" and "name.bias", each undefined if the parameters have no such name, with quantized
/// matrix, adapters and rounding.
Affine affineOf(const FlatParameters& parameters, const std::string& name);

/// Parameters that the layers of all transformers have in common; those that a network does not have are
/// undefined.
struct TransformerLayer
{
    Affine attentionNorm;
    /// Query, key and value in one matrix.
    Affine qkv;
    Affine attentionOutput;
    Affine feedForwardNorm;
    Affine up;
    Affine down;
};

/// \param prefix  prefix of the layer's parameters, with the dot at its end
TransformerLayer transformerLayerOf(const FlatParameters& parameters, const std::string& prefix);

/// Returns the projection onto a vocabulary: "output", or the weight of the embedding if there is no
/// "output".
Affine outputOf(const FlatParameters& parameters, const Affine& embedding);

/// Returns all rows of an embedding, rounded if they are to be quantized.
at::Tensor rowsOf(const Affine& embedding);

/// Returns input x weight^T + bias, plus the results of adapters; weight is {outputs, inputs}.
///
/// \param trains  whether dropout before adapters is active
at::Tensor linear(const at::Tensor& input, const Affine& affine, bool trains);

/// Normalizes over the last dimension, without a bias if the norm has none.
at::Tensor normalized(const at::Tensor& input, const Affine& norm, model::Normalization kind, double epsilon);

/// \return the input itself if nothing is to be dropped
at::Tensor dropped(const at::Tensor& input, double probability, bool trains);

/// Returns cap * tanh(values / cap), with the operations of transformers 5.23.0
/// (models/gemma2/modeling_gemma2.py), or the values themselves if the cap is 0.
at::Tensor softCapped(at::Tensor values, double cap);

/// Query, key and value as attention takes them, each {samples, heads, length, head size}.
struct AttentionHeads
{
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
};

/// RMSNorms over each head of the queries and of the keys, before the rotation. All heads of the queries
/// share one weight of a head's size, and so do all heads of the keys.
struct HeadNorms
{
    Affine query;
    Affine key;
    double epsilon = 0.0;
};

/// Splits the result of one product into queries, keys and values, so that the backward pass joins the
/// gradients in one copy: taking out each part alone would fill a gradient of the whole for each, and add
/// them.
///
/// \param stacked  {samples, length, queries + 2 x keys, head size}
/// \param rotary  rotates queries and keys; null if the network has none
/// \param norms  norms of queries and keys; null if the network has none
AttentionHeads attentionHeads(const at::Tensor& stacked, std::int64_t queries, std::int64_t keys,
                              const RotaryPositions* rotary, const HeadNorms* norms = nullptr);

/// {samples, heads, length, head size} -> {samples, length, heads x head size}
at::Tensor joined(const at::Tensor& heads);

/// The feed-forward layer of one expert: takes tokens {n, hidden size}, and returns as many.
using Expert = std::function<at::Tensor(const at::Tensor& tokens, std::size_t index)>;

/// Sends every token through the experts that the router prefers for it, and adds their results, each
/// weighted by the router's softmax over the chosen experts (Mixtral, arXiv 2401.04088, 2.1). Tokens are
/// gathered for each expert, so that its work is one product of all of them. Their number decides the shapes,
/// so the host waits for the device here, as it does in every eager implementation.
///
/// \param tokens  {n, hidden size}
/// \param router  {experts, hidden size}
at::Tensor mixed(const at::Tensor& tokens, const at::Tensor& router, std::int64_t expertsPerToken,
                 const Expert& expert);

} // namespace batchpeak::network

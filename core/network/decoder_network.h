// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "decoder_spec.h"
#include "flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace batchpeak::network {

/// The forward pass of a decoder-only transformer, from tokens to the loss, as eager PyTorch would run
/// it: GPT-2, GPT-3 and LLaMA are settings of ModelSpec.
///
/// It decides which operations run; precision is the caller's autocast, memory the parameters' owner's.
class DecoderNetwork
{
public:
    struct Options
    {
        std::int64_t sequenceLength = 0;
        /// Of products, so that rotating does not widen what autocast has narrowed.
        at::ScalarType computeType = at::kFloat;
        /// Grouped-query attention by repeated keys and values, for kernels that cannot share them:
        /// sharing takes half the memory and 0.6 to 0.9 of the time where they can (measured on the
        /// CPU, 16 heads on 4 keys).
        bool repeatsKeys = false;
        /// Dropout is active.
        bool trains = false;
    };

    /// \param parameters  of model::parameterTable(spec)
    /// \throws std::invalid_argument  a full sentence, where the sequence does not fit the network
    DecoderNetwork(model::DecoderSpec spec, const FlatParameters& parameters, const Options& options);

    /// Asked before every layer forward, and after every layer's gradient backward, there on the
    /// thread of autograd. It may throw, which ends the step.
    void setBetweenLayers(std::function<void()> callback) { m_betweenLayers = std::move(callback); }

    /// Mean cross entropy over all tokens [nats], a scalar.
    ///
    /// \param tokens, targets  int64 {samples, sequence length}
    at::Tensor loss(const at::Tensor& tokens, const at::Tensor& targets) const;

    /// {samples, sequence length, vocabulary}
    at::Tensor logits(const at::Tensor& tokens) const;

    /// Of the tables that rotate queries and keys: two of so many elements, or none [elements].
    static std::int64_t rotaryTableElements(const model::DecoderSpec& spec, std::int64_t sequenceLength);

private:
    struct Affine
    {
        at::Tensor weight;
        at::Tensor bias;
    };
    struct Layer
    {
        Affine attentionNorm;
        Affine qkv;
        Affine attentionOutput;
        Affine feedForwardNorm;
        Affine up;
        Affine down;
    };

    void makeRotaryTables(at::Device device);
    at::Tensor normalized(const at::Tensor& input, const Affine& norm) const;
    at::Tensor rotated(const at::Tensor& heads) const;
    at::Tensor attention(const at::Tensor& input, const Layer& layer) const;
    at::Tensor feedForward(const at::Tensor& input, const Layer& layer) const;
    at::Tensor dropped(at::Tensor input) const;
    void askBetweenLayers(const at::Tensor& hidden) const;

    model::DecoderSpec m_spec;
    Options m_options;
    std::function<void()> m_betweenLayers;
    Affine m_tokenEmbedding;
    Affine m_positionEmbedding;
    std::vector<Layer> m_layers;
    Affine m_finalNorm;
    Affine m_output;
    at::Tensor m_cosines;
    at::Tensor m_sines;
};

} // namespace batchpeak::network

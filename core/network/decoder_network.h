// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_operations.h"
#include "model/model_spec.h"
#include "network.h"
#include "position_embeddings.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::network {

class FlatParameters;

/// The forward pass of a decoder-only transformer, from tokens to the loss: GPT-2, GPT-3, LLaMA, Mistral,
/// Mixtral, Qwen2, Qwen3, BLOOM and Jais are settings of DecoderSpec.
class DecoderNetwork : public Network
{
public:
    /// \param parameters  of model::parameterTable(spec)
    /// \throws std::invalid_argument  a full sentence, where the sequence does not fit the network
    DecoderNetwork(model::DecoderSpec spec, const FlatParameters& parameters, const NetworkOptions& options);

    /// Input and targets are int64 {samples, sequence length}.
    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    /// The sequence, and the token that follows it.
    std::int64_t tokensPerRow() const override;
    std::int64_t vocabularySize() const override { return m_spec.vocabularySize; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    bool takesAttentionMask() const override { return options().masksPadding; }
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// {samples, sequence length, vocabulary}
    at::Tensor logits(const at::Tensor& tokens) const;

    /// See networkBufferBytes.
    static std::vector<std::int64_t> bufferBytes(const model::DecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    /// Feed-forward layers of which each token takes some.
    struct Experts
    {
        /// {experts, hidden size}
        at::Tensor router;
        /// {experts, 2 feed-forward size or 1, hidden size}; quantised or not.
        Affine up;
        /// {experts, hidden size, feed-forward size}
        Affine down;
    };
    struct Layer : TransformerLayer
    {
        std::optional<HeadNorms> headNorms;
        std::optional<Experts> experts;
    };

    void findLayers(const FlatParameters& parameters);
    at::Tensor embedded(const at::Tensor& tokens) const;
    at::Tensor hiddenStates(const at::Tensor& tokens, const at::Tensor& attentionMask) const;
    at::Tensor maskOf(const at::Tensor& attentionMask, std::int64_t length) const;
    at::Tensor through(const Layer& layer, const at::Tensor& hidden, const at::Tensor& mask) const;
    at::Tensor normalized(const at::Tensor& input, const Affine& norm) const;
    at::Tensor attention(const at::Tensor& input, const Layer& layer, const at::Tensor& mask) const;
    at::Tensor feedForward(const at::Tensor& input, const Layer& layer) const;
    at::Tensor dropped(const at::Tensor& input) const;

    model::DecoderSpec m_spec;
    Affine m_tokenEmbedding;
    Affine m_positionEmbedding;
    Affine m_embeddingNorm;
    std::vector<Layer> m_layers;
    Affine m_finalNorm;
    Affine m_output;
    std::optional<RotaryPositions> m_rotary;
    /// {heads, length, length}: what ALiBi takes from attention, minus infinity where it is causal.
    at::Tensor m_distances;
};

} // namespace batchpeak::network

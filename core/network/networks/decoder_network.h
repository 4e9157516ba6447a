// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "attention_masks.h"
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
/// Mixtral, Qwen2, Qwen3, Gemma, GPT-NeoX, GPT-J, Falcon, Phi, OPT, BLOOM and Jais are settings of
/// DecoderSpec.
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
    bool takesAttentionMask() const override { return options().takesMasks; }
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// {samples, sequence length, vocabulary}
    at::Tensor logits(const at::Tensor& tokens) const;

    /// See networkBufferBytes.
    static std::vector<std::int64_t> bufferBytes(const model::DecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    /// A feed-forward layer beside the experts that every token takes; without a gate, that is undefined.
    struct SharedExpert
    {
        Affine up;
        Affine down;
        Affine gate;
    };
    /// Feed-forward layers of which each token takes some.
    struct Experts
    {
        /// {experts, hidden size}
        at::Tensor router;
        /// {experts, 2 feed-forward size or 1, hidden size}; quantized or not.
        Affine up;
        /// {experts, hidden size, feed-forward size}
        Affine down;
        std::optional<SharedExpert> shared = std::nullopt;
    };
    struct Layer : TransformerLayer
    {
        bool isRotated = false;
        bool isWindowed = false;
        /// Of what the branches give; undefined where that is added as it is.
        Affine attentionOutputNorm;
        Affine feedForwardOutputNorm;
        std::optional<HeadNorms> headNorms;
        std::optional<Experts> experts;
    };

    void findLayers(const FlatParameters& parameters);
    Experts expertsOf(const FlatParameters& parameters, const std::string& prefix) const;
    at::Tensor embedded(const at::Tensor& tokens) const;
    at::Tensor hiddenStates(const at::Tensor& tokens, const at::Tensor& attentionMask) const;
    at::Tensor through(const Layer& layer, const at::Tensor& hidden, const at::Tensor& mask) const;
    at::Tensor normalized(const at::Tensor& input, const Affine& norm) const;
    /// What a branch adds to the hidden state.
    at::Tensor ofBranch(const at::Tensor& output, const Affine& norm) const;
    at::Tensor attention(const at::Tensor& input, const Layer& layer, const at::Tensor& mask) const;
    at::Tensor attendTexts(const AttentionInputs& inputs) const;
    at::Tensor feedForward(const at::Tensor& input, const Layer& layer) const;
    at::Tensor throughDense(const at::Tensor& input, const Affine& up, const Affine& down) const;
    at::Tensor throughExperts(const at::Tensor& input, const Experts& experts) const;
    at::Tensor throughShared(const at::Tensor& input, const SharedExpert& expert) const;
    at::Tensor dropped(const at::Tensor& input) const;

    model::DecoderSpec m_spec;
    Affine m_tokenEmbedding;
    Affine m_positionEmbedding;
    Affine m_embeddingNorm;
    std::vector<Layer> m_layers;
    Affine m_finalNorm;
    Affine m_output;
    std::optional<RotaryPositions> m_rotary;
    AttentionMasks m_masks;
};

} // namespace batchpeak::network

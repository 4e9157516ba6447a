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
    /// \param parameters  parameters of model::parameterTable(spec)
    /// \throws std::invalid_argument  if the sequence does not fit the network; the message is a full
    ///         sentence
    DecoderNetwork(model::DecoderSpec spec, const FlatParameters& parameters, const NetworkOptions& options);

    /// Returns input and targets as int64 {samples, sequence length}.
    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    /// Returns the sequence length plus 1, for the token that follows the sequence.
    std::int64_t tokensPerRow() const override;
    std::int64_t vocabularySize() const override { return m_spec.vocabularySize; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    bool takesAttentionMask() const override { return options().takesMasks; }
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// Returns {samples, sequence length, vocabulary}.
    at::Tensor logits(const at::Tensor& tokens) const;

    /// Returns the bytes of each tensor; see networkBufferBytes().
    static std::vector<std::int64_t> bufferBytes(const model::DecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    /// A feed-forward layer beside the experts that every token goes through; the gate is undefined if there
    /// is none.
    struct SharedExpert
    {
        Affine up;
        Affine down;
        Affine gate;
    };
    /// Feed-forward layers of which each token goes through some.
    struct Experts
    {
        /// {experts, hidden size}
        at::Tensor router;
        /// {experts, 2 x or 1 x feed-forward size, hidden size}; quantized or not.
        Affine up;
        /// {experts, hidden size, feed-forward size}
        Affine down;
        std::optional<SharedExpert> shared = std::nullopt;
    };
    struct Layer : TransformerLayer
    {
        bool isRotated = false;
        bool isWindowed = false;
        /// Norms of the branches' outputs; undefined if the outputs are added as they are.
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
    /// Returns what a branch adds to the hidden state.
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

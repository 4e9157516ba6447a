// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_operations.h"
#include "model/model_spec.h"
#include "network.h"
#include "optimizers/flat_parameters.h"
#include "position_embeddings.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::network {

/// The pre-training of an encoder-only transformer, from tokens to the loss, as eager PyTorch would run it:
/// BERT and ESM-2 are settings of EncoderSpec.
///
/// The same number of tokens is to be predicted in each sample.
class EncoderNetwork : public Network
{
public:
    /// \param parameters  parameters of model::parameterTable(spec)
    /// \throws std::invalid_argument  if the sequence does not fit the network; the message is a full
    ///         sentence
    EncoderNetwork(model::EncoderSpec spec, const FlatParameters& parameters, const NetworkOptions& options);

    /// Returns a batch. inputs, all int64: tokens {samples, length}, then those of the following that the
    /// network uses, in this order: token types {samples, length}, the places to predict {samples, predicted
    /// tokens}, and whether the sentences follow each other, or the class of the text, {samples}. targets:
    /// {samples, length}, or as the places.
    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;

    /// Returns the sequence length. In batchOf(), the mask token replaces tokens to be predicted, whether or
    /// not token dropout looks for it. Whether sentences follow each other, and the class of a text, are
    /// random.
    std::int64_t tokensPerRow() const override;
    std::int64_t vocabularySize() const override { return m_spec.vocabularySize; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;

    bool takesAttentionMask() const override { return options().takesMasks; }
    /// Returns the cross entropy of the masked tokens, plus that of the next sentence weighted by the number
    /// of tokens that a sample predicts, so that means are added as in pre-training.
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// Returns {samples, length, hidden size}, the input of the heads.
    at::Tensor encoded(const Batch& batch) const;

    static std::vector<std::int64_t> bufferBytes(const model::EncoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    /// The inputs of a batch by name; undefined if the network does not use them.
    struct Inputs
    {
        at::Tensor tokens;
        at::Tensor types;
        at::Tensor places;
        at::Tensor follows;
    };

    void findParameters(const FlatParameters& parameters);
    Inputs inputsOf(const Batch& batch) const;
    at::Tensor embedded(const Inputs& inputs) const;
    at::Tensor withoutMaskedTokens(const at::Tensor& embeddings, const at::Tensor& tokens) const;
    at::Tensor throughBranches(const at::Tensor& hidden, const TransformerLayer& layer,
                               const at::Tensor& mask) const;
    at::Tensor attention(const at::Tensor& input, const TransformerLayer& layer,
                         const at::Tensor& mask) const;
    at::Tensor feedForward(const at::Tensor& input, const TransformerLayer& layer) const;
    at::Tensor normalized(const at::Tensor& input, const Affine& norm) const;
    at::Tensor dropped(const at::Tensor& input) const;
    at::Tensor maskedLanguageLoss(const at::Tensor& hidden, const Batch& batch, double normalizer) const;
    at::Tensor nextSentenceLoss(const at::Tensor& hidden, const Batch& batch, double normalizer) const;

    model::EncoderSpec m_spec;
    Affine m_tokenEmbedding;
    Affine m_positionEmbedding;
    Affine m_typeEmbedding;
    Affine m_embeddingNorm;
    std::vector<TransformerLayer> m_layers;
    Affine m_finalNorm;
    Affine m_pooler;
    Affine m_headTransform;
    Affine m_headNorm;
    Affine m_output;
    Affine m_nextSentence;
    std::optional<RotaryPositions> m_rotary;
};

} // namespace batchpeak::network

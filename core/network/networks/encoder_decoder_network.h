// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_operations.h"
#include "model/model_spec.h"
#include "network.h"
#include "optimizers/flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace batchpeak::network {

/// The pre-training of an encoder-decoder transformer, from tokens to the loss, as eager PyTorch would run
/// it: T5 and T5 1.1 are settings of EncoderDecoderSpec.
///
/// The learned relative positions reach attention as an additive mask that requires a gradient, made once a
/// step for all layers of a stack. An attention mask applies to the encoder: the decoder attends to
/// everything that it may see of its own sequence, padded or not, as in transformers if only labels are
/// given.
class EncoderDecoderNetwork : public Network
{
public:
    /// \param parameters  parameters of model::parameterTable(spec)
    /// \throws std::invalid_argument  if a length is missing; the message is a full sentence
    EncoderDecoderNetwork(model::EncoderDecoderSpec spec, const FlatParameters& parameters,
                          const NetworkOptions& options);

    /// Returns a batch. inputs, all int64: the encoder's tokens {samples, sequence length}, and the decoder's
    /// {samples, target length}, which are the targets one place later, after the start token 0. The targets
    /// of a shorter sequence are shorter in proportion.
    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    /// Returns the number of tokens in a row. The encoder reads its beginning, and the decoder continues with
    /// the rest: a shorter row is split in the same proportion.
    std::int64_t tokensPerRow() const override;
    std::int64_t vocabularySize() const override { return m_spec.vocabularySize; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;

    bool takesAttentionMask() const override { return options().takesMasks; }
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// Returns {samples, target length, hidden size}, the input of the output projection.
    at::Tensor decoded(const Batch& batch) const;

    /// Returns the bytes of the tables of buckets, and of the mask of what a decoder may not see.
    static std::vector<std::int64_t> bufferBytes(const model::EncoderDecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    struct Layer : TransformerLayer
    {
        /// The following members are set for decoder layers alone.
        Affine crossNorm;
        Affine crossQuery;
        Affine crossKeyValue;
        Affine crossOutput;
    };
    struct Stack
    {
        std::vector<Layer> layers;
        Affine finalNorm;
        Affine relativePositions;
        at::Tensor buckets;
    };

    Stack makeStack(const FlatParameters& parameters, const std::string& name, std::int64_t layers,
                    std::int64_t length) const;
    std::int64_t tokensToRead(const SampleRow& row) const;
    at::Tensor embedded(const at::Tensor& tokens) const;
    at::Tensor positionBias(const Stack& stack, std::int64_t length) const;
    at::Tensor encoded(const Batch& batch) const;
    at::Tensor withSelfAttention(const at::Tensor& hidden, const at::Tensor& bias, const Layer& layer) const;
    at::Tensor withCrossAttention(const at::Tensor& hidden, const at::Tensor& memory, const at::Tensor& mask,
                                  const Layer& layer) const;
    at::Tensor withFeedForward(const at::Tensor& hidden, const Layer& layer) const;
    at::Tensor attended(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                        const at::Tensor& bias, const Affine& output) const;
    at::Tensor normalized(const at::Tensor& input, const Affine& norm) const;
    at::Tensor dropped(const at::Tensor& input) const;

    model::EncoderDecoderSpec m_spec;
    Affine m_tokenEmbedding;
    Stack m_encoder;
    Stack m_decoder;
    /// bool {target length, target length}: true where a key comes after the query.
    at::Tensor m_future;
    Affine m_output;
};

} // namespace batchpeak::network

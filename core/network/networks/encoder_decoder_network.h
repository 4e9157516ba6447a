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

/// The pre-training of an encoder-decoder transformer, from tokens to the loss, as eager PyTorch would
/// run it: T5 and T5 1.1 are settings of EncoderDecoderSpec.
///
/// The learned relative positions reach attention as an additive mask whose gradient is needed, made once
/// a step for all layers of a stack. An attention mask is the encoder's: the decoder attends to what it may
/// see of its own sequence, padded or not, as transformers has it where labels alone are given.
class EncoderDecoderNetwork : public Network
{
public:
    /// \param parameters  of model::parameterTable(spec)
    /// \throws std::invalid_argument  a full sentence, where a length is missing
    EncoderDecoderNetwork(model::EncoderDecoderSpec spec, const FlatParameters& parameters,
                          const NetworkOptions& options);

    /// inputs, all int64: the encoder's tokens {samples, sequence length}, the decoder's {samples, target
    /// length}, which are the targets one place later, after the start token 0. The targets of a shorter
    /// sequence are shorter in proportion.
    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    /// The encoder reads the beginning of a row, the decoder goes on with the rest: a shorter row is shared
    /// in proportion.
    std::int64_t tokensPerRow() const override;
    std::int64_t vocabularySize() const override { return m_spec.vocabularySize; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;

    bool takesAttentionMask() const override { return options().takesMasks; }
    at::Tensor loss(const Batch& batch, double normalizer) const override;

    /// {samples, target length, hidden size}: what the output projection works on.
    at::Tensor decoded(const Batch& batch) const;

    /// Of the tables of buckets, and of what a decoder may not see.
    static std::vector<std::int64_t> bufferBytes(const model::EncoderDecoderSpec& spec,
                                                 const NetworkOptions& options);

private:
    struct Layer : TransformerLayer
    {
        /// Of decoder layers alone.
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

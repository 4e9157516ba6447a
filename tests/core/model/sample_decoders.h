// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/decoder_spec.h"

namespace batchpeak::model {

inline DecoderSpec gpt2Small()
{
    return {.vocabularySize = 50257,
            .hiddenSize = 768,
            .layers = 12,
            .heads = 12,
            .keyValueHeads = 12,
            .feedForwardSize = 3072,
            .maxPositions = 1024};
}

/// Returns a decoder with 32 layers and heads, and a hidden size of 4096.
inline DecoderSpec llama(std::int64_t vocabulary, std::int64_t keyValueHeads, std::int64_t feedForward)
{
    return {.vocabularySize = vocabulary,
            .hiddenSize = 4096,
            .layers = 32,
            .heads = 32,
            .keyValueHeads = keyValueHeads,
            .feedForwardSize = feedForward,
            .maxPositions = 4096,
            .positionEmbedding = PositionEmbedding::Rotary,
            .normalization = Normalization::RmsNorm,
            .activation = Activation::SwiGlu,
            .tiedEmbeddings = false,
            .attentionBias = false,
            .attentionOutputBias = false,
            .feedForwardBias = false};
}

} // namespace batchpeak::model

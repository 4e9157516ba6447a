// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_kind.h"
#include "parameter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

/// A decoder-only transformer, as a config describes it: GPT-2, GPT-3, LLaMA, Mistral, Mixtral, Qwen2,
/// Qwen3, BLOOM and Jais are settings of it.
///
/// It holds what decides shapes, arithmetic and memory. It deliberately does not hold the sequence
/// length of a run, the precision or the optimizer: those belong to the run, not to the network.
/// Sizes are counts of elements, all positive.
struct DecoderSpec
{
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    /// Fewer than heads in grouped-query attention, where several heads share a key and a value.
    std::int64_t keyValueHeads = 0;
    /// Of one head; 0 stands for hiddenSize / heads. heads * headSize need not be hiddenSize: Qwen3-0.6B
    /// has 16 heads of 128 in a hidden size of 1024 (head_dim of Qwen3Config in transformers 5.23.0).
    std::int64_t headSize = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t maxPositions = 0;
    PositionEmbedding positionEmbedding = PositionEmbedding::Learned;
    Normalization normalization = Normalization::LayerNorm;
    Activation activation = Activation::Gelu;
    /// The output projection shares the token embedding's weights.
    bool tiedEmbeddings = true;
    /// Biases of the query, key and value projections; of the attention's output projection; of the
    /// feed-forward layers; of the projection onto the vocabulary.
    bool attentionBias = true;
    bool attentionOutputBias = true;
    bool feedForwardBias = true;
    bool outputBias = false;
    /// An RMSNorm over every head of the queries and one over every head of the keys, before they are
    /// rotated; all heads of a layer share its weight of headSize (q_norm and k_norm of Qwen3Attention in
    /// transformers 5.23.0, models/qwen3/modeling_qwen3.py).
    bool queryKeyNormalization = false;
    /// A normalisation of the token embeddings, as BLOOM has it.
    bool embeddingNormalization = false;
    double normalizationEpsilon = 1e-5;
    double ropeTheta = 10000.0;
    /// Leading elements of a head that are rotated; 0 stands for the whole head.
    std::int64_t rotaryDimensions = 0;
    /// Feed-forward layers side by side, of which each token takes expertsPerToken (arXiv 2401.04088);
    /// with 0 or 1 there is one that all tokens take.
    std::int64_t experts = 0;
    std::int64_t expertsPerToken = 2;
    /// Probabilities of dropout on embeddings and on each residual branch, and on attention weights.
    double dropout = 0.0;
    double attentionDropout = 0.0;

    bool operator==(const DecoderSpec&) const = default;
};

/// Elements of one head, whether the config says it or not.
std::int64_t headSizeOf(const DecoderSpec& spec);
/// Leading elements of a head that rotary positions turn, whether the config says it or not.
std::int64_t rotaryDimensionsOf(const DecoderSpec& spec);

bool hasExperts(const DecoderSpec& spec);
/// A token can take as many experts as it should.
bool chooseableExperts(const DecoderSpec& spec);

/// Tokens of a sample where a config does not say: all positions.
std::int64_t usualSequenceLength(const DecoderSpec& spec);

/// Tokens of the longest sequence it can take; nothing where positions are computed, not learned.
std::optional<std::int64_t> longestSequence(const DecoderSpec& spec);

/// What makes a network impossible whatever the device, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const DecoderSpec& spec);

/// See parameter_table.h.
std::vector<Parameter> parameterTable(const DecoderSpec& spec);

} // namespace batchpeak::model

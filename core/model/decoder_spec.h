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

/// Tokens of a text where nobody says how long samples are: networks that take a hundred thousand tokens are
/// hardly ever trained on samples so long, of which no device would fit one. cutoff_len of LLaMA-Factory
/// 0.9.4 is as much.
inline constexpr std::int64_t defaultTokens = 2048;

/// A decoder-only transformer, as a config describes it: GPT-2, GPT-3, LLaMA, Mistral, Mixtral, Qwen2,
/// Qwen3, Gemma, GPT-NeoX, GPT-J, Falcon, Phi, OPT, BLOOM and Jais are settings of it.
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
    /// A normalization of the token embeddings, as BLOOM has it.
    bool embeddingNormalization = false;
    /// Of LayerNorms; RMSNorms have none.
    bool normalizationBias = true;
    /// What a branch gives is normalized too before it is added to the hidden state
    /// (post_attention_layernorm and post_feedforward_layernorm of Gemma2DecoderLayer in
    /// transformers 5.23.0).
    bool branchOutputNormalization = false;
    Branches branches = Branches::Sequential;
    double normalizationEpsilon = 1e-5;
    double ropeTheta = 10000.0;
    /// Leading elements of a head that are rotated; 0 stands for the whole head.
    std::int64_t rotaryDimensions = 0;
    /// Layers whose queries and keys are not rotated, counted from 0, in their order.
    std::vector<std::int64_t> unrotatedLayers = {};
    /// Rows before those of the first position in a table of learned positions (2 of
    /// OPTLearnedPositionalEmbedding in transformers 5.23.0).
    std::int64_t positionOffset = 0;
    /// Tokens that a token attends to, itself among them (Longformer, arXiv 2004.05150, 3.1); 0 for all
    /// before it.
    std::int64_t attentionWindow = 0;
    /// Layers that keep to the window, counted from 0, in their order; empty where all do.
    std::vector<std::int64_t> windowedLayers = {};
    /// Scores of attention, and logits, become cap * tanh(score / cap) (Gemma 2, arXiv 2408.00118, 2); 0:
    /// they are left as they are. The kernels that never hold the matrix of all pairs do not cap.
    double attentionSoftCap = 0.0;
    double logitSoftCap = 0.0;
    /// Feed-forward layers side by side, of which each token takes expertsPerToken (arXiv 2401.04088);
    /// with 0 or 1 there is one that all tokens take.
    std::int64_t experts = 0;
    std::int64_t expertsPerToken = 2;
    /// Of a feed-forward layer beside the experts that every token takes (arXiv 2401.06066); 0 where there is
    /// none. Its output is multiplied by the sigmoid of a projection onto one number where it has a gate
    /// (shared_expert_gate of Qwen2MoeSparseMoeBlock in transformers 5.23.0).
    std::int64_t sharedExpertSize = 0;
    bool sharedExpertGate = false;
    /// Leading layers that have no experts, and the size of their feed-forward layers; 0 stands for
    /// feedForwardSize.
    std::int64_t denseLayers = 0;
    std::int64_t denseFeedForwardSize = 0;
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

/// Tokens of a sample where a config does not say: all positions, but at most 2048.
std::int64_t defaultSequenceLength(const DecoderSpec& spec);

/// Tokens of the longest sequence it can take; nothing where positions are computed, not learned.
std::optional<std::int64_t> longestSequence(const DecoderSpec& spec);

/// What makes a network impossible whatever the device, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const DecoderSpec& spec);

/// See parameter_table.h.
std::vector<Parameter> parameterTable(const DecoderSpec& spec);

} // namespace batchpeak::model

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

/// Default number of tokens in a sample. Networks that take a hundred thousand tokens are hardly ever trained
/// on samples of that length, of which no device would fit one. The default of cutoff_len in LLaMA-Factory
/// 0.9.4 is the same.
inline constexpr std::int64_t defaultTokens = 2048;

/// A decoder-only transformer as a config describes it: GPT-2, GPT-3, LLaMA, Mistral, Mixtral, Qwen2, Qwen3,
/// Gemma, GPT-NeoX, GPT-J, Falcon, Phi, OPT, BLOOM and Jais are configurations of it.
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
    /// Elements of one head; 0 stands for hiddenSize / heads. heads * headSize need not be hiddenSize:
    /// Qwen3-0.6B has 16 heads of 128 in a hidden size of 1024 (head_dim of Qwen3Config in transformers
    /// 5.23.0).
    std::int64_t headSize = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t maxPositions = 0;
    PositionEmbedding positionEmbedding = PositionEmbedding::Learned;
    Normalization normalization = Normalization::LayerNorm;
    Activation activation = Activation::Gelu;
    /// Whether the output projection shares the token embedding's weights.
    bool tiedEmbeddings = true;
    /// Whether these have biases: the query, key and value projections; the attention's output projection;
    /// the feed-forward layers; the projection onto the vocabulary.
    bool attentionBias = true;
    bool attentionOutputBias = true;
    bool feedForwardBias = true;
    bool outputBias = false;
    /// Whether an RMSNorm is applied to every head of the queries, and another to every head of the keys,
    /// before they are rotated. All heads of a layer share its weight of headSize elements (q_norm and k_norm
    /// of Qwen3Attention in transformers 5.23.0, models/qwen3/modeling_qwen3.py).
    bool queryKeyNormalization = false;
    /// Whether the token embeddings are normalized, as in BLOOM.
    bool embeddingNormalization = false;
    /// Whether LayerNorms have a bias; RMSNorms never have one.
    bool normalizationBias = true;
    /// Whether the output of a branch is normalized too before it is added to the hidden state
    /// (post_attention_layernorm and post_feedforward_layernorm of Gemma2DecoderLayer in transformers
    /// 5.23.0).
    bool branchOutputNormalization = false;
    Branches branches = Branches::Sequential;
    double normalizationEpsilon = 1e-5;
    double ropeTheta = 10000.0;
    /// Leading elements of a head that are rotated; 0 stands for the whole head.
    std::int64_t rotaryDimensions = 0;
    /// Indices of the layers whose queries and keys are not rotated, from 0, ascending.
    std::vector<std::int64_t> unrotatedLayers = {};
    /// Number of rows before that of the first position in a table of learned positions (2 in
    /// OPTLearnedPositionalEmbedding of transformers 5.23.0).
    std::int64_t positionOffset = 0;
    /// Number of tokens that a token attends to, including itself (Longformer, arXiv 2004.05150, 3.1); 0 for
    /// all tokens before it.
    std::int64_t attentionWindow = 0;
    /// Indices of the layers with the window, from 0, ascending; empty if all layers have it.
    std::vector<std::int64_t> windowedLayers = {};
    /// Caps of attention scores and of logits, which become cap * tanh(score / cap) (Gemma 2, arXiv
    /// 2408.00118, 2); 0 for no cap. The attention kernels that never hold the matrix of all pairs cannot
    /// cap.
    double attentionSoftCap = 0.0;
    double logitSoftCap = 0.0;
    /// Number of feed-forward layers side by side, of which each token takes expertsPerToken (arXiv
    /// 2401.04088). With 0 or 1 there is a single one for all tokens.
    std::int64_t experts = 0;
    std::int64_t expertsPerToken = 2;
    /// Size of the shared expert, a feed-forward layer that every token takes beside its experts (arXiv
    /// 2401.06066); 0 if there is none. If it has a gate, its output is multiplied by the sigmoid of a
    /// projection onto one number (shared_expert_gate of Qwen2MoeSparseMoeBlock in transformers 5.23.0).
    std::int64_t sharedExpertSize = 0;
    bool sharedExpertGate = false;
    /// Number of leading layers without experts, and the size of their feed-forward layers, where 0 stands
    /// for feedForwardSize.
    std::int64_t denseLayers = 0;
    std::int64_t denseFeedForwardSize = 0;
    /// Probabilities of dropout on embeddings and on each residual branch, and on attention weights.
    double dropout = 0.0;
    double attentionDropout = 0.0;

    bool operator==(const DecoderSpec&) const = default;
};

/// Returns the number of elements in one head, also if headSize is 0.
std::int64_t headSizeOf(const DecoderSpec& spec);
/// Returns the number of leading elements of a head that are rotated, also if rotaryDimensions is 0.
std::int64_t rotaryDimensionsOf(const DecoderSpec& spec);

bool hasExperts(const DecoderSpec& spec);
/// Whether a token can take expertsPerToken experts: at least 1 and at most all. In a network without
/// experts, whether their number is not negative.
bool chooseableExperts(const DecoderSpec& spec);

/// Returns the default number of tokens in a sample: all positions, but at most 2048.
std::int64_t defaultSequenceLength(const DecoderSpec& spec);

/// Returns the number of tokens in the longest sequence that the network takes, or nothing if positions are
/// computed, not learned.
std::optional<std::int64_t> longestSequence(const DecoderSpec& spec);

/// Returns what makes a network impossible on every device, as a full sentence, or nothing if it is valid.
std::optional<std::string> problemWith(const DecoderSpec& spec);

/// See parameter_table.h.
std::vector<Parameter> parameterTable(const DecoderSpec& spec);

} // namespace batchpeak::model

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::model {

enum class PositionEmbedding { Learned, Rotary };
enum class Normalization { LayerNorm, RmsNorm };
enum class Activation { Gelu, GeluTanh, SwiGlu };

/// A decoder-only transformer, as a config describes it: GPT-2, GPT-3 and LLaMA are settings of it.
///
/// It holds what decides shapes, arithmetic and memory. It deliberately does not hold the sequence
/// length of a run, the precision or the optimizer: those belong to the run, not to the network.
/// Sizes are counts of elements, all positive.
struct ModelSpec
{
    /// "gpt2", "gpt3" or "llama": the name that a person reads.
    std::string family;
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    /// Fewer than heads in grouped-query attention, where several heads share a key and a value.
    std::int64_t keyValueHeads = 0;
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
    double normalizationEpsilon = 1e-5;
    double ropeTheta = 10000.0;
    /// Leading elements of a head that are rotated; 0 stands for the whole head.
    std::int64_t rotaryDimensions = 0;
    /// Probabilities of dropout on embeddings and on each residual branch, and on attention weights.
    double dropout = 0.0;
    double attentionDropout = 0.0;

    bool operator==(const ModelSpec&) const = default;
};

/// What makes a network impossible whatever the device, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const ModelSpec& spec);

/// The words of the trial protocol: "learned", "rmsnorm", "gelu_tanh".
std::string_view toText(PositionEmbedding value);
std::string_view toText(Normalization value);
std::string_view toText(Activation value);
std::optional<PositionEmbedding> positionEmbeddingFromText(std::string_view text);
std::optional<Normalization> normalizationFromText(std::string_view text);
std::optional<Activation> activationFromText(std::string_view text);

} // namespace batchpeak::model

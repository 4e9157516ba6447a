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

/// An encoder-only transformer with the heads of its pre-training as a config describes it: BERT (arXiv
/// 1810.04805) and ESM-2 (doi 10.1126/science.ade2574) are configurations of it.
///
/// Every projection has a bias, every normalization is a LayerNorm. Settings of a run, such as the sequence
/// length, are not in it. Sizes are counts of elements, positive unless stated otherwise.
struct EncoderSpec
{
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t maxPositions = 0;
    /// Number of segment types, each with an embedding; 0 for none.
    std::int64_t tokenTypes = 2;
    /// Learned or Rotary.
    PositionEmbedding positionEmbedding = PositionEmbedding::Learned;
    /// Activation of the feed-forward layers and of the masked-language head; not a gated one.
    Activation activation = Activation::Gelu;
    /// Whether it normalizes before the branches, as ESM-2 does, instead of after their sums, as BERT does.
    bool normalizesFirst = false;
    /// Whether the embeddings are normalized; whether the output of the last layer is.
    bool embeddingNormalization = true;
    bool finalNormalization = false;
    /// Whether there is a pooler: a dense layer with tanh on the first token of a sample.
    bool pooler = false;
    /// Whether there is a head that predicts masked tokens: a dense layer, a normalization, and the
    /// projection onto the vocabulary.
    bool maskedLanguageHead = true;
    /// Whether there is a head that predicts from the pooled token whether one sentence follows the other, or
    /// which class a text belongs to.
    bool nextSentenceHead = false;
    std::int64_t sentenceClasses = 2;
    /// Whether the projection onto the vocabulary shares the token embedding's weights.
    bool tiedEmbeddings = true;
    /// Number of masked tokens in a sample on which their head runs; 0 if it runs on all tokens of the
    /// sample.
    std::int64_t predictedTokens = 0;
    /// Whether the embeddings of masked tokens are zeroed, and the others scaled up in proportion, as in
    /// ESM-2.
    bool tokenDropout = false;
    /// Id of the token that stands for a masked one; only token dropout uses it.
    std::int64_t maskToken = 0;
    double normalizationEpsilon = 1e-12;
    double ropeTheta = 10000.0;
    /// Leading elements of a head that are rotated; 0 stands for the whole head.
    std::int64_t rotaryDimensions = 0;
    /// Probabilities of dropout on embeddings and on each residual branch, and on attention weights.
    double dropout = 0.0;
    double attentionDropout = 0.0;

    bool operator==(const EncoderSpec&) const = default;
};

/// Returns the number of tokens in the sequences that such a network is usually trained on.
std::int64_t defaultSequenceLength(const EncoderSpec& spec);

/// Returns the number of tokens in the longest sequence that the network takes, or nothing if positions are
/// computed, not learned.
std::optional<std::int64_t> longestSequence(const EncoderSpec& spec);

/// Returns what makes a network impossible on every device, as a full sentence, or nothing if it is valid.
std::optional<std::string> problemWith(const EncoderSpec& spec);

/// See parameter_table.h.
std::vector<Parameter> parameterTable(const EncoderSpec& spec);

} // namespace batchpeak::model

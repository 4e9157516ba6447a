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

/// An encoder-only transformer with the heads of its pre-training, as a config describes it: BERT
/// (arXiv 1810.04805) and ESM-2 (doi 10.1126/science.ade2574) are settings of it.
///
/// Every projection has a bias, every normalization is a LayerNorm. What belongs to a run, such as the
/// sequence length, is not in it. Sizes are counts of elements, all positive where nothing else is said.
struct EncoderSpec
{
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t maxPositions = 0;
    /// Kinds of segments, an embedding each; 0 for none.
    std::int64_t tokenTypes = 2;
    /// Learned or Rotary.
    PositionEmbedding positionEmbedding = PositionEmbedding::Learned;
    /// Not gated; the masked-language head has the same.
    Activation activation = Activation::Gelu;
    /// Before the branches, as ESM-2 does, in place of after their sums, as BERT does.
    bool normalizesFirst = false;
    /// A normalization of the embeddings; one after the last layer.
    bool embeddingNormalization = true;
    bool finalNormalization = false;
    /// A dense layer with tanh on the first token of a sample.
    bool pooler = false;
    /// Predicts masked tokens: a dense layer, a normalization, and the projection onto the vocabulary.
    bool maskedLanguageHead = true;
    /// Tells from the pooled token whether one sentence follows the other, or which class a text is of.
    bool nextSentenceHead = false;
    std::int64_t sentenceClasses = 2;
    /// The projection onto the vocabulary shares the token embedding's weights.
    bool tiedEmbeddings = true;
    /// Masked tokens of a sample that its head is run on; 0: it is run on all tokens of the sample.
    std::int64_t predictedTokens = 0;
    /// The embeddings of masked tokens are zeroed, and the others scaled up in proportion, as ESM-2 does.
    bool tokenDropout = false;
    /// The token that stands for a masked one; only token dropout looks for it.
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

/// Tokens of the sequences it is usually trained on.
std::int64_t defaultSequenceLength(const EncoderSpec& spec);

/// Tokens of the longest sequence it can take; nothing where positions are computed, not learned.
std::optional<std::int64_t> longestSequence(const EncoderSpec& spec);

/// What makes a network impossible whatever the device, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const EncoderSpec& spec);

/// See parameter_table.h.
std::vector<Parameter> parameterTable(const EncoderSpec& spec);

} // namespace batchpeak::model

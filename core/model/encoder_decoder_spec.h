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

/// An encoder-decoder transformer with relative positions as a config describes it: T5 (arXiv 1910.10683) and
/// T5 1.1 are configurations of it.
///
/// It normalizes before each branch and has no biases except those of LayerNorm. Encoder and decoder share
/// the token embedding. Settings of a run, such as the sequence lengths, are not in it. Sizes are counts of
/// elements, all positive.
struct EncoderDecoderSpec
{
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t encoderLayers = 0;
    std::int64_t decoderLayers = 0;
    std::int64_t heads = 0;
    /// Elements of one head; heads * headSize need not be hiddenSize.
    std::int64_t headSize = 0;
    std::int64_t feedForwardSize = 0;
    /// Number of buckets for the distances between tokens. They widen up to the maximum distance; all larger
    /// distances share one bucket.
    std::int64_t relativeBuckets = 32;
    std::int64_t maxRelativeDistance = 128;
    Normalization normalization = Normalization::RmsNorm;
    Activation activation = Activation::Relu;
    /// Whether the output projection shares the token embedding's weights; its input is then scaled by
    /// hiddenSize^-0.5.
    bool tiedEmbeddings = true;
    double normalizationEpsilon = 1e-6;
    /// Probability of dropout on embeddings, branches, the inside of feed-forward layers, attention weights,
    /// and the output of encoder and decoder.
    double dropout = 0.0;

    bool operator==(const EncoderDecoderSpec&) const = default;
};

/// Number of tokens in the encoder's and in the decoder's sequence of T5's pre-training: 512, of which 15 %
/// are masked in spans of 3, so that the target has 114 tokens (arXiv 1910.10683, section 3.1.4).
std::int64_t defaultSequenceLength(const EncoderDecoderSpec& spec);
std::int64_t defaultTargetLength(const EncoderDecoderSpec& spec);

/// Returns nothing: positions are relative.
std::optional<std::int64_t> longestSequence(const EncoderDecoderSpec& spec);

/// Returns what makes a network impossible on every device, as a full sentence, or nothing if it is valid.
std::optional<std::string> problemWith(const EncoderDecoderSpec& spec);

/// See parameter_table.h.
std::vector<Parameter> parameterTable(const EncoderDecoderSpec& spec);

} // namespace batchpeak::model

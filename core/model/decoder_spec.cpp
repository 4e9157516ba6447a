// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_spec.h"

#include <utility>

namespace batchpeak::model {

bool hasExperts(const DecoderSpec& spec)
{
    return spec.experts > 1;
}

bool chooseableExperts(const DecoderSpec& spec)
{
    if (!hasExperts(spec))
        return spec.experts >= 0;
    return spec.expertsPerToken >= 1 && spec.expertsPerToken <= spec.experts;
}

std::int64_t usualSequenceLength(const DecoderSpec& spec)
{
    return spec.maxPositions;
}

std::optional<std::int64_t> longestSequence(const DecoderSpec& spec)
{
    if (spec.positionEmbedding != PositionEmbedding::Learned)
        return std::nullopt;
    return spec.maxPositions;
}

std::optional<std::string> problemWith(const DecoderSpec& spec)
{
    const std::pair<std::int64_t, const char*> sizes[] = {
        {spec.vocabularySize, "vocabulary size"},
        {spec.hiddenSize, "hidden size"},
        {spec.layers, "number of layers"},
        {spec.heads, "number of attention heads"},
        {spec.keyValueHeads, "number of key-value heads"},
        {spec.feedForwardSize, "feed-forward size"},
        {spec.maxPositions, "maximum sequence length"},
    };
    for (const auto& [size, name] : sizes) {
        if (size < 1)
            return "The " + std::string(name) + " is " + std::to_string(size) + ", but must be at least 1.";
    }
    if (spec.hiddenSize % spec.heads != 0) {
        return "The hidden size " + std::to_string(spec.hiddenSize) + " is not a multiple of the " +
               std::to_string(spec.heads) + " attention heads.";
    }
    if (spec.heads % spec.keyValueHeads != 0) {
        return "The " + std::to_string(spec.heads) + " attention heads are not a multiple of the " +
               std::to_string(spec.keyValueHeads) + " key-value heads.";
    }
    const std::int64_t headSize = spec.hiddenSize / spec.heads;
    if (spec.rotaryDimensions < 0 || spec.rotaryDimensions > headSize || spec.rotaryDimensions % 2 != 0) {
        return "The rotary dimension " + std::to_string(spec.rotaryDimensions) +
               " must be an even number of at most the head size, " + std::to_string(headSize) + ".";
    }
    if (!chooseableExperts(spec)) {
        return "Each token takes " + std::to_string(spec.expertsPerToken) + " of " +
               std::to_string(spec.experts) + " experts, but must take at least 1 and at most all of them.";
    }
    for (double probability : {spec.dropout, spec.attentionDropout}) {
        if (!(probability >= 0 && probability < 1))
            return std::string("A dropout rate must be at least 0 and less than 1.");
    }
    return std::nullopt;
}

} // namespace batchpeak::model

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_spec.h"

#include "spec_checks.h"

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
    if (const auto problem = problemWithSizes({{spec.vocabularySize, "vocabulary size"},
                                               {spec.hiddenSize, "hidden size"},
                                               {spec.layers, "number of layers"},
                                               {spec.heads, "number of attention heads"},
                                               {spec.keyValueHeads, "number of key-value heads"},
                                               {spec.feedForwardSize, "feed-forward size"},
                                               {spec.maxPositions, "maximum sequence length"}}))
        return problem;
    if (const auto problem = problemWithHeads(spec.hiddenSize, spec.heads))
        return problem;
    if (spec.heads % spec.keyValueHeads != 0) {
        return "The " + std::to_string(spec.heads) + " attention heads are not a multiple of the " +
               std::to_string(spec.keyValueHeads) + " key-value heads.";
    }
    if (const auto problem = problemWithRotation(spec.rotaryDimensions, spec.hiddenSize / spec.heads))
        return problem;
    if (!chooseableExperts(spec)) {
        return "Each token takes " + std::to_string(spec.expertsPerToken) + " of " +
               std::to_string(spec.experts) + " experts, but must take at least 1 and at most all of them.";
    }
    return problemWithDropout({spec.dropout, spec.attentionDropout});
}

} // namespace batchpeak::model

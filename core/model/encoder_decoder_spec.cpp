// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_decoder_spec.h"

#include "spec_checks.h"

namespace batchpeak::model {

std::int64_t usualSequenceLength(const EncoderDecoderSpec&)
{
    return 512;
}

std::int64_t usualTargetLength(const EncoderDecoderSpec&)
{
    return 114;
}

std::optional<std::int64_t> longestSequence(const EncoderDecoderSpec&)
{
    return std::nullopt;
}

std::optional<std::string> problemWith(const EncoderDecoderSpec& spec)
{
    if (const auto problem = problemWithSizes({{spec.vocabularySize, "vocabulary size"},
                                               {spec.hiddenSize, "hidden size"},
                                               {spec.encoderLayers, "number of encoder layers"},
                                               {spec.decoderLayers, "number of decoder layers"},
                                               {spec.heads, "number of attention heads"},
                                               {spec.headSize, "size of an attention head"},
                                               {spec.feedForwardSize, "feed-forward size"}}))
        return problem;
    // Half of a direction's buckets hold one distance each, and the encoder has two directions.
    if (spec.relativeBuckets < 4 || spec.relativeBuckets % 4 != 0) {
        return "The number of relative position buckets is " + std::to_string(spec.relativeBuckets) +
               ", but must be a multiple of 4.";
    }
    if (spec.maxRelativeDistance <= spec.relativeBuckets / 2) {
        return "The maximum relative distance " + std::to_string(spec.maxRelativeDistance) +
               " must be more than half of the " + std::to_string(spec.relativeBuckets) +
               " relative position buckets.";
    }
    return problemWithDropout({spec.dropout});
}

} // namespace batchpeak::model

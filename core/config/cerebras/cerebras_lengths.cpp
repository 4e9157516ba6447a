// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_lengths.h"

#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

namespace {

std::optional<std::int64_t> firstLength(const std::vector<ConfigSection>& inputs, std::string_view key,
                                        std::optional<std::int64_t> longest = std::nullopt)
{
    for (const ConfigSection& input : inputs) {
        const auto length = input.integer(key);
        if (!length)
            continue;
        if (*length < 1)
            input.fail(key, "is " + std::to_string(*length) + ", but a sequence has at least 1 token");
        if (longest && *length > *longest) {
            input.fail(key,
                       "is " + std::to_string(*length) + ", above the " + std::to_string(*longest) +
                           " positions that the network learns; raise max_position_embeddings or lower it");
        }
        return length;
    }
    return std::nullopt;
}

} // namespace

void readLengths(const std::vector<ConfigSection>& inputs, ConfigContents& contents)
{
    auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (spec && !model::takesSequences(*spec)) {
        contents.sequenceLength = model::usualSequenceLength(*spec);
        return;
    }
    const auto longest = spec ? model::longestSequence(*spec) : std::nullopt;
    auto length = firstLength(inputs, "max_sequence_length", longest);
    if (!length)
        length = firstLength(inputs, "src_max_sequence_length");
    contents.sequenceLength = length.value_or(spec ? model::usualSequenceLength(*spec) : 0);
    if (!spec)
        return;
    contents.targetLength = model::usualTargetLength(*spec);
    if (contents.targetLength)
        contents.targetLength =
            firstLength(inputs, "tgt_max_sequence_length").value_or(*contents.targetLength);
    // The loader hands over so many masked tokens a sample, and the head is run on these alone:
    // BertForPreTrainingModel in ModelZoo 2.10.0, models/nlp/bert/model.py.
    if (auto* encoder = std::get_if<model::EncoderSpec>(&spec->architecture))
        encoder->predictedTokens = firstLength(inputs, "max_predictions_per_seq").value_or(0);
}

} // namespace batchpeak::config

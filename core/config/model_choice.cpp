// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_choice.h"

namespace batchpeak::config {

ConfigContents withModelOf(ConfigContents contents, const ConfigContents& source)
{
    const auto* spec = std::get_if<model::ModelSpec>(&source.model);
    if (!spec)
        throw ConfigError(std::get<UnsupportedModel>(source.model).sentence,
                          std::get<UnsupportedModel>(source.model).position);

    const auto* own = std::get_if<UnsupportedModel>(&contents.model);
    if (own && !own->isElsewhere)
        contents.warnings.push_back(
            {own->sentence + " The network that was chosen is run in its place.", own->position});
    contents.model = *spec;
    warnOfBatchNormalization(*spec, {}, contents.warnings);
    if (contents.sequenceLength < 1 || !model::takesSequences(*spec)) {
        contents.sequenceLength =
            source.sequenceLength > 0 ? source.sequenceLength : model::usualSequenceLength(*spec);
        contents.targetLength = source.targetLength;
    }
    if (!contents.targetLength)
        contents.targetLength = model::usualTargetLength(*spec);
    const auto longest = model::longestSequence(*spec);
    if (longest && contents.sequenceLength > *longest) {
        contents.warnings.push_back({"The config trains on sequences of " +
                                         std::to_string(contents.sequenceLength) +
                                         " tokens, but the network has learned " + std::to_string(*longest) +
                                         " positions; shorten the sequences (--sequence-length), or choose "
                                         "another network.",
                                     {}});
    }
    return contents;
}

void warnOfBatchNormalization(const model::ModelSpec& spec, TextPosition position,
                              std::vector<Warning>& warnings)
{
    if (!model::normalizesOverBatch(spec))
        return;
    warnings.push_back(
        {"The network has batch normalisation, which computes over the samples of a micro-batch: a batch in "
         "several micro-batches gives another result than the batch whole, so that the size chosen is also a "
         "choice for the training.",
         position});
}

} // namespace batchpeak::config

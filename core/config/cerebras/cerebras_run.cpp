// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "cerebras_readers.h"
#include "run_reader.h"

namespace batchpeak::config {

namespace {

std::optional<std::int64_t> firstLength(const std::vector<ConfigSection>& inputs, std::string_view key,
                                        std::optional<std::int64_t> longest = std::nullopt)
{
    for (const ConfigSection& input : inputs) {
        if (const auto length = readLength(input, key, longest, "raise max_position_embeddings or lower it"))
            return length;
    }
    return std::nullopt;
}

} // namespace

void readCerebrasNetwork(const std::optional<ConfigSection>& model, ConfigContents& contents)
{
    contents.hasOwnModules = true;
    if (!model) {
        contents.model =
            networkElsewhere({}, "The config has no model section, so no network; give one with --model.")
                .why;
        return;
    }
    contents.model = networkOrError([&] { return readCerebrasModel(*model, contents.warnings); });
    readCerebrasAdapters(*model, contents);
}

model::Precision readCerebrasPrecision(const ConfigSection& section, std::string_view enabledKey,
                                       bool enabled, std::vector<Warning>& warnings)
{
    if (!section.boolean(enabledKey).value_or(enabled))
        return model::Precision::Fp32;
    // Default in MixedPrecision of ModelZoo 2.10.0, trainer/callbacks/precision.py.
    const std::string type = section.text("fp16_type").value_or("bfloat16");
    if (type == "float16")
        return model::Precision::Fp16;
    if (type == "cbfloat16") {
        // On other systems ModelZoo replaces it with bfloat16: pre_setup() there.
        warn(warnings, section.positionOf("fp16_type"),
             "Trials run in bfloat16; cbfloat16 exists on Cerebras systems alone.");
    } else if (type != "bfloat16") {
        section.fail("fp16_type", "is \"{}\"; write bfloat16, cbfloat16 or float16", type);
    }
    return model::Precision::Bf16;
}

void readCerebrasLengths(const std::vector<ConfigSection>& inputs, ConfigContents& contents)
{
    auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (spec && !model::takesSequences(*spec)) {
        contents.sequenceLength = defaultLength(contents);
        return;
    }
    auto length = firstLength(inputs, "max_sequence_length", longestLength(contents));
    if (!length)
        length = firstLength(inputs, "src_max_sequence_length");
    contents.sequenceLength = length.value_or(defaultLength(contents));
    if (!spec)
        return;
    contents.targetLength = model::defaultTargetLength(*spec);
    if (contents.targetLength)
        contents.targetLength =
            firstLength(inputs, "tgt_max_sequence_length").value_or(*contents.targetLength);
    // The loader provides this number of masked tokens per sample, and the head runs only on these:
    // BertForPreTrainingModel in ModelZoo 2.10.0, models/nlp/bert/model.py.
    if (auto* encoder = std::get_if<model::EncoderSpec>(&spec->architecture))
        encoder->predictedTokens = firstLength(inputs, "max_predictions_per_seq").value_or(0);
}

void checkCerebrasOptimizer(model::Optimizer optimizer, const ConfigSection& arguments)
{
    if (optimizer == model::Optimizer::Adafactor && arguments.has("beta1"))
        arguments.fail("beta1", "makes Adafactor keep a first moment, which Cerebras refuses; remove it");
}

void warnOfSparsity(const ConfigSection& section, std::vector<Warning>& warnings)
{
    if (section.has("sparsity")) {
        warnOfApproximation(warnings, section.positionOf("sparsity"), approximation::sparseWeights,
                            "Trials run the network dense, without the sparsity of this config.");
    }
}

} // namespace batchpeak::config

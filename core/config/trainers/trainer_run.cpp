// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer_run.h"

#include "accumulated_batch.h"
#include "cerebras/cerebras_keys.h"
#include "cerebras/cerebras_run.h"
#include "learning_rate.h"
#include "networks/named_model.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

bool isOn(const ConfigSection& section, std::string_view key)
{
    if (!isSwitchedOn(section, key))
        return false;
    // "fsdp: ''" is what a config writes that has none.
    const YamlNode& value = section.find(key)->resolvedValue();
    return value.kind != NodeKind::Scalar || !value.value.empty();
}

std::string sentenceOf(const ConfigSection& section, const RunDifference& difference)
{
    return section.pathOf(difference.key) + " " + std::string(difference.effect);
}

} // namespace

void warnOfDifferences(const ConfigSection& section, std::span<const RunDifference> differences,
                       std::vector<Warning>& warnings)
{
    for (const RunDifference& difference : differences) {
        if (isOn(section, difference.key))
            warnings.push_back({sentenceOf(section, difference), section.positionOf(difference.key)});
    }
}

std::optional<UnsupportedModel> firstDifference(const ConfigSection& section,
                                                std::span<const RunDifference> differences)
{
    for (const RunDifference& difference : differences) {
        if (isOn(section, difference.key)) {
            return UnsupportedModel{.sentence = sentenceOf(section, difference),
                                    .position = section.positionOf(difference.key)};
        }
    }
    return std::nullopt;
}

void warnOfSharding(const ConfigSection& section, std::vector<Warning>& warnings)
{
    constexpr std::array<RunDifference, 3> sharding{
        {{"deepspeed", "can spread the network over devices or move parts of it to the host. Trials hold all "
                       "of it on one device, so that larger sizes may fit in the run."},
         {"fsdp", "spreads the network over devices. Trials hold all of it on one device, so that larger "
                  "sizes may fit in the run."},
         {"fsdp_config", "is for a network that FSDP spreads over devices. Trials hold all of it on one "
                         "device, so that larger sizes may fit in the run."}}};
    // The settings of FSDP say nothing that FSDP itself does not.
    warnOfDifferences(section, std::span(sharding).first(isOn(section, "fsdp") ? 2 : 3), warnings);
}

void noteDeepSpeed(const ConfigSection& section, std::vector<std::string>& notes)
{
    if (!isOn(section, "deepspeed"))
        return;
    notes.emplace_back(
        "The DeepSpeed config of this run (deepspeed) must agree: its train_micro_batch_size_per_gpu, "
        "gradient_accumulation_steps and train_batch_size have to be \"auto\" or say the same.");
}

model::Optimizer readTorchOptimizer(const ConfigSection& section, std::string_view key,
                                    std::vector<Warning>& warnings)
{
    constexpr std::array<std::string_view, 5> adamW{"adamw_torch", "adamw_torch_fused", "adamw_torch_xla",
                                                    "adamw_hf", "adamw_apex_fused"};
    const auto name = section.text(key);
    if (!name || std::ranges::find(adamW, *name) != adamW.end())
        return model::Optimizer::AdamW;
    return readOptimizer(*name, section.positionOf(key), warnings);
}

double clippingNormOr(const ConfigSection& section, std::string_view key, double otherwise)
{
    const double norm = section.number(key).value_or(otherwise);
    if (!(norm >= 0))
        section.fail(key, "must be at least 0, which stands for no clipping, as in 1.0");
    return norm;
}

void warnOfFloat16(TextPosition position, std::vector<Warning>& warnings)
{
    warnings.push_back(
        {"Trials run in bfloat16, since float16 with loss scaling is not run here.", position});
}

void warnOfMissingCopies(TextPosition position, std::vector<Warning>& warnings)
{
    warnings.push_back({"The run keeps its parameters in bfloat16 alone. Trials have fp32 copies of them in "
                        "the optimizer, which take more memory, so that larger sizes may fit in the run.",
                        position});
}

std::variant<model::ModelSpec, UnsupportedModel>
readNamedModel(const ConfigSection& section, std::string_view key, std::vector<Warning>& warnings)
{
    if (const auto id = section.text(key))
        return namedModel(*id, section.positionOf(key), warnings);
    return UnsupportedModel{.sentence = "The config names no network under " + section.pathOf(key) +
                                        "; give the network's config.json as the model (--model FILE).",
                            .position = section.positionOf(key),
                            .isElsewhere = true};
}

void readTrainerSettings(const ConfigSection& section, TrainingSettings& settings)
{
    settings.halvesAutomatically = findsBatchSize(section);
    // By num_items_in_batch: Trainer.get_batch_samples since transformers 4.46, trainer.py.
    settings.weighsTokens = true;
    settings.learningRate = readLearningRate(section, "learning_rate");
}

void settleLengths(ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec)
        return;
    if (!model::takesSequences(*spec))
        contents.sequenceLength = model::usualSequenceLength(*spec);
    if (!contents.targetLength)
        contents.targetLength = model::usualTargetLength(*spec);
}

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_arguments.h"

#include "cerebras/cerebras_keys.h"
#include "learning_rate.h"
#include "trainer_run.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

constexpr std::string_view evalKey = "per_device_eval_batch_size";
constexpr std::int64_t usualEvalSize = 8;

/// "no" is the word of IntervalStrategy for never, and a plain no is False to a YAML reader.
bool isStrategy(const ConfigSection& root, std::string_view key)
{
    return isSwitchedOn(root, key) && root.find(key)->resolvedValue().value != "no";
}

/// TrainingArguments.__post_init__ in transformers 5.23 turns do_eval on where there is a strategy; the older
/// name of the strategy is evaluation_strategy.
bool evaluates(const ConfigSection& root)
{
    constexpr std::array<std::string_view, 2> strategies{"eval_strategy", "evaluation_strategy"};
    constexpr std::array<std::string_view, 2> switches{"do_eval", "eval_steps"};
    return root.has(evalKey) ||
           std::ranges::any_of(strategies, [&](std::string_view key) { return isStrategy(root, key); }) ||
           std::ranges::any_of(switches, [&](std::string_view key) { return isSwitchedOn(root, key); });
}

/// AcceleratorConfig.split_batches in transformers 5.23, trainer_pt_utils.py.
void warnOfSplitBatches(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::array<RunDifference, 1> split{
        {{"split_batches", "makes the sizes here those of all devices together, of which each takes its "
                           "share."}}};
    if (root.hasSection("accelerator_config"))
        warnOfDifferences(*root.section("accelerator_config"), split, warnings);
}

} // namespace

AccumulationKeys trainingArgumentsKeys()
{
    return {.microBatchSize = "per_device_train_batch_size", .usualMicroBatchSize = 8};
}

void readTrainingArguments(const ConfigSection& root, ConfigContents& contents)
{
    contents.train = readAccumulatedBatch(root, trainingArgumentsKeys());
    if (evaluates(root))
        contents.eval = readPlainBatch(root, evalKey, usualEvalSize);
    warnOfBatchFinder(root, contents.warnings);
    warnOfSplitBatches(root, contents.warnings);
    warnOfSharding(root, contents.warnings);
    contents.optimizer = readTorchOptimizer(root, "optim", contents.warnings);
    // TrainingArguments.max_grad_norm in transformers 5.23.
    contents.step.maxGradientNorm = clippingNormOr(root, "max_grad_norm", 1.0);
    readTrainerSettings(root, contents.training);
}

model::Precision readMixedPrecision(const ConfigSection& root, bool bf16, std::vector<Warning>& warnings)
{
    const auto isBf16 = root.boolean("bf16");
    const bool isFp16 = root.boolean("fp16").value_or(false);
    if (isBf16.value_or(false) && isFp16)
        root.fail("fp16", "is True beside bf16, of which a run can have one; remove either");
    if (isFp16) {
        warnOfFloat16(root.positionOf("fp16"), warnings);
        return model::Precision::Bf16;
    }
    if (isBf16.value_or(bf16))
        return model::Precision::Bf16;
    return root.boolean("tf32").value_or(false) ? model::Precision::Tf32 : model::Precision::Fp32;
}

SplicedText withSizeInTrainingArguments(const ConfigSection& root, const ChosenSize& chosen)
{
    const AccumulationKeys keys = trainingArgumentsKeys();
    if (chosen.phase == model::Phase::Eval) {
        if (!evaluates(root)) {
            throw ConfigError("The config asks for no evaluation, so there is no place for its size; choose "
                              "the other phase, or write eval_strategy.");
        }
        return withEntries(root.document(), root.dialect(),
                           {plainBatchChange(evalKey, keys.microBatchSize, chosen)});
    }
    std::vector<EntryChange> changes = accumulatedBatchChanges(root, keys, chosen);
    std::vector<std::string> notes;
    switchOffBatchFinder(root, changes, notes);
    noteDeepSpeed(root, notes);
    SplicedText spliced = withEntries(root.document(), root.dialect(), changes);
    spliced.notes.insert(spliced.notes.end(), notes.begin(), notes.end());
    return spliced;
}

} // namespace batchpeak::config

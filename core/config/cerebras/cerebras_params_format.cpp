// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "cerebras_readers.h"
#include "format.h"
#include "run_reader.h"

namespace batchpeak::config {

/// The layout of Cerebras configs up to release 2.3: train_input, eval_input, model, optimizer, runconfig.
///
/// The micro-batch size is in the input section of its phase.
namespace {

constexpr std::string_view accumulationKey = "use_cs_grad_accum";
constexpr GlobalKeys keys;
constexpr RunKeys runKeys{.optimizer = "optimizer.optimizer_type",
                          .unfusedLion = cerebrasLion,
                          .optimizerArguments = "optimizer",
                          .gradientNorm = "optimizer.max_gradient_norm",
                          .learningRate = "optimizer.learning_rate"};

/// The first input section that sets a length counts (readCerebrasLengths).
constexpr PlaceKeys placeKeys{.network = "model",
                              .globalBatch = "train_input.batch_size",
                              .evalGlobalBatch = "eval_input.batch_size",
                              .devices = "runconfig.num_csx",
                              .sequenceLength =
                                  "train_input.max_sequence_length eval_input.max_sequence_length "
                                  "train_input.src_max_sequence_length eval_input.src_max_sequence_length",
                              .precision = "model.mixed_precision"};

std::string inputKey(model::Phase phase)
{
    return phase == model::Phase::Train ? "train_input" : "eval_input";
}

/// Returns the size that a setting fixes; nothing if a program chooses it.
std::optional<std::int64_t> fixedSize(const BatchPlan& plan)
{
    if (const auto* fixed = std::get_if<Fixed>(&plan.setting))
        return fixed->microBatchSize;
    if (std::holds_alternative<Whole>(plan.setting))
        return plan.globalBatchSize;
    return std::nullopt;
}

/// Warns if a run that alternates training and evaluation would break its rules:
/// validate_train_and_eval_micro_batch_size in ModelZoo 2.3.1, common/train_and_eval.py. A run of a single
/// phase may break them.
void warnOfPhaseRules(const BatchPlan& train, const BatchPlan& eval, TextPosition position,
                      std::vector<Warning>& warnings)
{
    if (train.explores() != eval.explores()) {
        warn(warnings, position,
             "Only one of train_input and eval_input explores its micro_batch_size; Cerebras refuses that in "
             "a run of both phases.");
    }
    const auto trainSize = fixedSize(train);
    const auto evalSize = fixedSize(eval);
    if (trainSize && evalSize && *evalSize > *trainSize) {
        warn(warnings, position,
             "The micro_batch_size of eval_input, {}, is above that of train_input, {}; Cerebras refuses "
             "that in a run of both phases.",
             *evalSize, *trainSize);
    }
}

std::optional<bool> writtenAccumulation(const ConfigSection& root)
{
    return root.sectionAt("runconfig").boolean(accumulationKey);
}

bool isAccumulationOff(const ConfigSection& root)
{
    return !writtenAccumulation(root).value_or(true);
}

std::optional<BatchPlan> readPlan(const ConfigSection& root, model::Phase phase,
                                  std::vector<Warning>& warnings)
{
    const auto input = root.section(inputKey(phase));
    if (!input)
        return std::nullopt;
    BatchPlan plan{.devices = readDevices(root.sectionAt("runconfig"))};
    plan.globalBatchSize = readGlobalBatchSize(*input, plan.devices);
    plan.setting = readSetting(*input, keys.microBatchSize, plan.globalBatchSize, warnings);
    if (isAccumulationOff(root) && plan.setting != Setting(Whole{})) {
        // Read as the converter to 2.2 reads it: _remove_deprecated_runconfig_params_2_2 in ModelZoo 2.10.0,
        // tools/checkpoint_converters/base_converter.py.
        plan.presentSize = plan.writtenSize();
        plan.setting = Whole{};
        warn(warnings, root.sectionAt("runconfig").positionOf(accumulationKey),
             "runconfig.{} is False, so micro-batches are off and {} is read as null.", accumulationKey,
             input->pathOf(keys.microBatchSize));
    }
    warnOfUnevenDivision(plan, input->positionOf(keys.microBatchSize), warnings);
    return plan;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    return root && (root->hasSection("train_input") || root->hasSection("eval_input") ||
                    (root->hasSection("runconfig") && root->hasSection("model")));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    ConfigContents contents;
    contents.train = readPlan(root, model::Phase::Train, contents.warnings);
    contents.eval = readPlan(root, model::Phase::Eval, contents.warnings);
    if (!contents.train && !contents.eval) {
        throw ConfigError("The config has neither train_input nor eval_input; add the one that is to run, "
                          "with its batch_size.");
    }
    if (contents.train && contents.eval) {
        warnOfPhaseRules(*contents.train, *contents.eval,
                         root.section("eval_input")->positionOf(keys.microBatchSize), contents.warnings);
    }
    const auto model = root.section("model");
    readCerebrasNetwork(model, contents);
    // Default: run_cstorch_flow.py in ModelZoo 2.1.1, common/pytorch.
    if (model)
        contents.precision = readCerebrasPrecision(*model, "mixed_precision", false, contents.warnings);
    std::vector<ConfigSection> inputs;
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (const auto input = root.section(inputKey(phase)))
            inputs.push_back(*input);
    }
    readCerebrasLengths(inputs, contents);
    readRun(root, runKeys, contents);
    checkCerebrasOptimizer(contents.optimizer, root.sectionAt("optimizer"));
    contents.training.accumulates = writtenAccumulation(root);
    // Null counts as a size too.
    contents.places.train.microBatch = root.writtenPlaceOf("train_input.micro_batch_size");
    contents.places.eval.microBatch = root.writtenPlaceOf("eval_input.micro_batch_size");
    notePlaces(root, placeKeys, contents);
    warnOfSparsity(root, contents.warnings);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root();
    const auto input = root.section(inputKey(chosen.phase));
    if (!input) {
        throw errorAt({}, "The config has no {} to write a size of this phase into; choose the other phase.",
                      inputKey(chosen.phase));
    }
    const std::int64_t devices = readDevices(root.sectionAt("runconfig"));
    BatchPlan plan{.globalBatchSize = readGlobalBatchSize(*input, devices), .devices = devices};
    checkChosenSize(plan, chosen, input->positionOf(keys.batchSize));
    plan.globalBatchSize = chosen.globalBatchSize.value_or(plan.globalBatchSize);
    std::vector<std::string> notes;
    noteStrictRule(plan, chosen.microBatchSize, notes);
    if (isAccumulationOff(root)) {
        notes.push_back(sentence("Cerebras ignores the size while runconfig.{} is False; set it to True.",
                                 accumulationKey));
    }
    return withChanges(root, globalBatchChanges({inputKey(chosen.phase)}, keys, chosen), notes);
}

} // namespace

constinit const Format cerebrasParamsFormat{.name = "Cerebras params",
                                            .mark = "train_input or eval_input",
                                            .neededKeys = "train_input|eval_input",
                                            .defaultKeys = "train_input eval_input model optimizer runconfig",
                                            .rules = {.spreadsUnevenBatches = true,
                                                      .refusesBatchNormalization = true,
                                                      .exploresBothPhasesOrNone = true},
                                            .fits = fits,
                                            .read = read,
                                            .splice = splice};

} // namespace batchpeak::config

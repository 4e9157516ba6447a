// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "deep_speed_settings.h"
#include "format.h"
#include "run_reader.h"
#include "syntax/json_text.h"
#include "unmodeled_features.h"

namespace batchpeak::config {

/// Configs of DeepSpeed, in JSON: batches, precision and how the network is sharded over devices.
///
/// They describe neither a network nor texts, and only training. The micro-batch size is under
/// train_micro_batch_size_per_gpu.
namespace {

constexpr std::string_view batchKey = "train_batch_size";
constexpr std::string_view microKey = "train_micro_batch_size_per_gpu";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";

/// The three numbers of a DeepSpeed config that make a batch, by its rule train_batch_size ==
/// train_micro_batch_size_per_gpu * gradient_accumulation_steps * world size (_batch_assertion and
/// _set_batch_related_parameters of DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py).
///
/// Each may be absent, or "auto" if the Hugging Face Trainer fills it in from its own config. The config
/// determines the world size only if all three are numbers; otherwise counts are those of one device.
struct DeepSpeedBatch
{
    struct Number
    {
        std::optional<std::int64_t> value;
        bool isAuto = false;
    };
    Number global;
    Number micro;
    Number steps;

    bool isFilledIn() const { return global.isAuto || micro.isAuto || steps.isAuto; }
    bool knowsDevices() const { return global.value && micro.value && steps.value; }
    /// Whether the batch is known. With only a micro-batch size, a step has one micro-batch; beside an "auto"
    /// the Trainer's config decides.
    bool knowsBatch() const
    {
        const bool isOneStep = !steps.value && !steps.isAuto && !global.isAuto;
        return global.value || (micro.value && (steps.value || isOneStep));
    }
};

DeepSpeedBatch::Number readNumber(const ConfigSection& root, std::string_view key)
{
    if (!root.has(key))
        return {};
    if (isAuto(root, key))
        return {.isAuto = true};
    return {.value = countOr(root, key, 1)};
}

std::string stepText()
{
    return sentence("{} * {}", microKey, stepsKey);
}

void checkBatch(const ConfigSection& root, const DeepSpeedBatch& batch)
{
    const bool hasSize = batch.micro.value || batch.micro.isAuto;
    if (!hasSize && !batch.global.value && !batch.global.isAuto) {
        throw errorAt(root.positionOf(microKey),
                      "The config has neither train_batch_size nor train_micro_batch_size_per_gpu, of which "
                      "DeepSpeed needs one; write either.");
    }
    if (!batch.global.value)
        return;
    const std::int64_t unit = batch.micro.value.value_or(1) * batch.steps.value.value_or(1);
    if (*batch.global.value % unit != 0) {
        root.fail(batchKey,
                  "is {}, no multiple of {}, which is {}; DeepSpeed wants that times the devices, so correct "
                  "one of them",
                  *batch.global.value, unit,
                  batch.micro.value && batch.steps.value
                      ? stepText()
                      : std::string(batch.micro.value ? microKey : stepsKey));
    }
}

std::optional<std::int64_t> presentSize(const DeepSpeedBatch& batch)
{
    if (batch.micro.value || batch.micro.isAuto)
        return batch.micro.value;
    const bool isDecided = batch.global.value && !batch.steps.isAuto;
    return isDecided ? std::optional(*batch.global.value / batch.steps.value.value_or(1)) : std::nullopt;
}

/// Returns the plan. A batch that the config does not know, because the Trainer fills it in, counts as one
/// sample.
BatchPlan planOf(const DeepSpeedBatch& batch)
{
    BatchPlan plan{.setting = Explore{},
                   .presentSize = presentSize(batch),
                   .knowsDevices = batch.knowsDevices(),
                   .isOverAllDevices = batch.global.value.has_value(),
                   .microBatchKey = std::string(microKey),
                   .globalBatchKey = std::string(batchKey)};
    if (batch.knowsDevices())
        plan.devices = *batch.global.value / (*batch.micro.value * *batch.steps.value);
    if (batch.global.value)
        plan.globalBatchSize = *batch.global.value;
    else if (batch.knowsBatch())
        plan.globalBatchSize = *batch.micro.value * batch.steps.value.value_or(1);
    if (!batch.global.value)
        plan.globalBatchKey = stepText();
    return plan;
}

void warnOfBatch(const ConfigSection& root, const DeepSpeedBatch& batch, std::vector<Warning>& warnings)
{
    if (!batch.knowsBatch()) {
        warn(
            warnings, root.positionOf(batch.micro.isAuto ? microKey : stepsKey),
            "The batch is \"auto\", which counts as 1 here: the Hugging Face Trainer's own config decides it "
            "(per_device_train_batch_size, gradient_accumulation_steps); open that one to keep its batch.");
        // Issue 35484 of transformers.
        if (batch.micro.isAuto && !batch.steps.value && !batch.steps.isAuto) {
            warn(warnings, root.positionOf(microKey),
                 "gradient_accumulation_steps is missing, so DeepSpeed accumulates nothing, whatever the "
                 "Trainer's own config says; write \"auto\" for it here.");
        }
    } else if (batch.global.value && !batch.knowsDevices()) {
        warn(warnings, root.positionOf(batchKey),
             "The config does not say how many devices share train_batch_size; figures here are for one.");
    }
}

/// Returns changes after which the Trainer's config still decides the accumulation, and with it the batch.
std::vector<EntryChange> filledInChanges(const ConfigSection& root, const DeepSpeedBatch& batch,
                                         const ChosenSize& chosen, std::vector<std::string>& notes)
{
    if (chosen.globalBatchSize) {
        throw errorAt(
            root.positionOf(batchKey),
            "The batch is \"auto\" here: the Hugging Face Trainer's own config decides it; choose it there.");
    }
    std::vector<EntryChange> changes{plainBatchChange(microKey, batchKey, chosen)};
    const bool decidesSteps = batch.steps.value || (!batch.steps.isAuto && !batch.global.isAuto);
    if (batch.micro.value || !decidesSteps)
        return changes;
    changes.push_back({.key = std::string(stepsKey), .value = "\"auto\"", .below = std::string(microKey)});
    notes.emplace_back("gradient_accumulation_steps is \"auto\" now, as the size was, so the Trainer's "
                       "config decides how many micro-batches make a step.");
    return changes;
}

/// Whether the accumulation steps must be written. If they are absent, DeepSpeed derives them from the other
/// two numbers; with only a micro-batch size, it takes one step.
bool needsSteps(const DeepSpeedBatch& batch, std::int64_t steps)
{
    return batch.steps.value || (!batch.global.value && steps > 1);
}

std::vector<EntryChange> knownChanges(const ConfigSection& root, const DeepSpeedBatch& batch,
                                      const ChosenSize& chosen, std::vector<std::string>& notes)
{
    const BatchPlan before = planOf(batch);
    const WholeBatch whole =
        wholeBatch(before, chosen, root.positionOf(batch.global.value ? batchKey : microKey));
    std::vector<EntryChange> changes{countChange(microKey, chosen.microBatchSize, batchKey)};
    if (needsSteps(batch, whole.accumulationSteps))
        changes.push_back(countChange(stepsKey, whole.accumulationSteps, microKey));
    if (batch.global.value)
        changes.push_back(countChange(batchKey, whole.globalBatchSize, {}));
    if (!batch.global.value || batch.micro.value || !batch.steps.value) {
        if (batch.global.value && !before.knowsDevices) {
            notes.push_back(sentence(
                "On several devices, train_batch_size has to be a multiple of {} times their number.",
                chosen.microBatchSize));
        }
        return changes;
    }
    notes.push_back(sentence("The three sizes are right for one device now, which DeepSpeed checks; on more, "
                             "divide gradient_accumulation_steps, {}, by their number.",
                             whole.accumulationSteps));
    return changes;
}

/// Returns the changes that write a size and keep the three numbers consistent.
/// \param notes  receives notes on other numbers of devices and on the Trainer's own config
/// \throws BatchNotKept, ConfigError as wholeBatch() does; ConfigError if a batch was chosen although the
///         Trainer's config decides it
std::vector<EntryChange> batchChanges(const ConfigSection& root, const DeepSpeedBatch& batch,
                                      const ChosenSize& chosen, std::vector<std::string>& notes)
{
    if (batch.isFilledIn()) {
        notes.push_back(sentence("The Hugging Face Trainer refuses a config of its own that says otherwise: "
                                 "write per_device_train_batch_size {} there too, with the "
                                 "gradient_accumulation_steps that keep its batch.",
                                 chosen.microBatchSize));
    }
    return batch.knowsBatch() ? knownChanges(root, batch, chosen, notes)
                              : filledInChanges(root, batch, chosen, notes);
}

constexpr std::string_view clippingKey = "gradient_clipping";
constexpr std::string_view elasticityKey = "elasticity";

constexpr RunKeys runKeys{.optimizer = "optimizer.type",
                          .optimizerArguments = "optimizer.params",
                          .learningRate = "optimizer.params.lr"};

constexpr PlaceKeys placeKeys{.globalBatch = batchKey,
                              .microBatch = microKey,
                              .accumulationSteps = stepsKey,
                              .gradientNorm = clippingKey};

/// Checks the syntax. DeepSpeed itself reads with hjson (DeepSpeedConfig in DeepSpeed 0.16,
/// deepspeed/runtime/config.py), which allows comments. If an "auto" has to be filled in, accelerate reads
/// with json.load (HfDeepSpeedConfig in accelerate 1.x, utils/deepspeed.py).
void checkText(const ConfigSection& root)
{
    const bool isFilledIn = isAuto(root, batchKey) || isAuto(root, microKey) || isAuto(root, stepsKey);
    requireJson(root.document().text(), isFilledIn ? JsonComments::Refused : JsonComments::Allowed);
}

/// \throws ConfigError if a number is illegal, the three contradict each other, or none makes a batch
DeepSpeedBatch readBatch(const ConfigSection& root)
{
    if (root.sectionAt(elasticityKey).boolean("enabled").value_or(false)) {
        root.fail(elasticityKey,
                  "is enabled, so DeepSpeed chooses all batch sizes itself; switch it off to write one");
    }
    const DeepSpeedBatch batch{.global = readNumber(root, batchKey),
                               .micro = readNumber(root, microKey),
                               .steps = readNumber(root, stepsKey)};
    checkBatch(root, batch);
    return batch;
}

bool fits(const ConfigText& text)
{
    const auto root = text.document() && text.document()->isJson() ? text.root(Dialect::Json) : std::nullopt;
    return root && (root->find(microKey) || root->find(batchKey) || root->find("zero_optimization"));
}

/// \throws NotRun always
model::ModelSpec noNetwork(const ConfigSection& root)
{
    refuseCutLayers(root);
    throw networkElsewhere(
        {}, "A DeepSpeed config describes no network; give one with --model, such as its config.json.");
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::Json);
    checkText(root);
    const DeepSpeedBatch batch = readBatch(root);
    ConfigContents contents{.model = networkOrError([&root] { return noNetwork(root); }),
                            .train = planOf(batch)};
    warnOfBatch(root, batch, contents.warnings);
    readDeepSpeedStep(root, contents);
    readDeepSpeedPrecision(root, contents);
    readRun(root, runKeys, contents);
    if (root.hasSection("activation_checkpointing")) {
        warn(contents.warnings, root.positionOf("activation_checkpointing"),
             "activation_checkpointing only says how, not whether, activations are checkpointed; trials keep "
             "them all unless told otherwise.");
    }
    // Default of TrainingArguments.max_grad_norm in transformers 5.23.
    constexpr double defaultOfTrainer = 1.0;
    contents.step.maxGradientNorm = readDeepSpeedClipping(root, defaultOfTrainer);
    notePlaces(root, placeKeys, contents);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root(Dialect::Json);
    checkText(root);
    if (chosen.phase == model::Phase::Eval) {
        throw ConfigError("A DeepSpeed config has no size for evaluation; write it into the config of the "
                          "program that evaluates.");
    }
    std::vector<std::string> notes;
    const std::vector<EntryChange> changes = batchChanges(root, readBatch(root), chosen, notes);
    return withChanges(root, changes, notes);
}

} // namespace

constinit const Format deepSpeedFormat{
    .name = "DeepSpeed",
    .mark = "train_micro_batch_size_per_gpu, train_batch_size or zero_optimization in JSON",
    .neededKeys = "train_micro_batch_size_per_gpu|train_batch_size|zero_optimization",
    .defaultKeys = "train_batch_size train_micro_batch_size_per_gpu zero_optimization gradient_clipping "
                   "fp16.enabled bf16.enabled",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

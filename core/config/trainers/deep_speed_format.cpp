// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "batch_schemes.h"
#include "differences.h"
#include "format.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/json_text.h"

#include <array>

namespace batchpeak::config {

/// Configs of DeepSpeed, in JSON: batches, precision and how the network is shared out over devices.
///
/// They describe no network and no texts, and training alone. The micro-batch size stands under
/// train_micro_batch_size_per_gpu.
namespace {

constexpr std::string_view batchKey = "train_batch_size";
constexpr std::string_view microKey = "train_micro_batch_size_per_gpu";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";

bool isAuto(const ConfigSection& section, std::string_view key)
{
    const YamlNode* value = section.value(key);
    return value && value->kind == NodeKind::Scalar && value->value == "auto";
}

/// The three numbers of a DeepSpeed config that make a batch, by its rule train_batch_size ==
/// train_micro_batch_size_per_gpu * gradient_accumulation_steps * world size (_batch_assertion and
/// _set_batch_related_parameters of DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py).
///
/// Each may be absent, and "auto" where the Hugging Face Trainer fills it in from its own config. The world
/// size is in the config only where all three are numbers; else counts are those of one device.
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
    /// Of the micro-batch alone, one makes a step; beside an "auto" that is for the Trainer's config to say.
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

/// Where the config does not know its batch, because it is filled in, that counts as one sample.
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
    } else if (batch.global.value && !batch.knowsDevices()) {
        warn(warnings, root.positionOf(batchKey),
             "The config does not say how many devices share train_batch_size; figures here are for one.");
    }
}

/// The Trainer's config goes on deciding the accumulation, and with it the batch.
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

/// Where the accumulation is not written, DeepSpeed makes it of the other two; of a micro-batch alone it
/// makes one.
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

/// What writes a size and keeps the three numbers as they should be.
/// \param notes  receives what has to be known of other devices and of the Trainer's own config
/// \throws BatchNotKept, ConfigError as wholeBatch() does; ConfigError where a batch was chosen and the
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
constexpr std::string_view zeroKey = "zero_optimization";
constexpr std::string_view enabledKey = "enabled";

constexpr RunKeys runKeys{.optimizer = "optimizer.type", .learningRate = "optimizer.params.lr"};

constexpr PlaceKeys placeKeys{.globalBatch = batchKey,
                              .microBatch = microKey,
                              .accumulationSteps = stepsKey,
                              .gradientNorm = clippingKey};

/// False where nothing is said: FP16_ENABLED_DEFAULT and BFLOAT16_ENABLED_DEFAULT in DeepSpeed 0.16,
/// deepspeed/runtime/constants.py.
bool isEnabled(const ConfigSection& section)
{
    return !isAuto(section, enabledKey) && section.boolean(enabledKey).value_or(false);
}

/// "device" of an offload section: "none" where nothing is said (DeepSpeedZeroOffloadParamConfig in DeepSpeed
/// 0.16, deepspeed/runtime/zero/offload_config.py).
bool offloads(const ConfigSection& zero, std::string_view key)
{
    return zero.sectionAt(key).text("device").value_or("none") != "none";
}

/// DeepSpeed itself reads with hjson (DeepSpeedConfig in DeepSpeed 0.16, deepspeed/runtime/config.py), which
/// takes comments. Where "auto" is to be filled in, accelerate does, with json.load (HfDeepSpeedConfig in
/// accelerate 1.x, utils/deepspeed.py).
void checkText(const ConfigSection& root)
{
    const bool isFilledIn = isAuto(root, batchKey) || isAuto(root, microKey) || isAuto(root, stepsKey);
    requireJson(root.document().text(), isFilledIn ? JsonComments::Refused : JsonComments::Allowed);
}

/// \throws ConfigError where a number is illegal, three are at odds, or none makes a batch
DeepSpeedBatch readBatch(const ConfigSection& root)
{
    if (root.sectionAt(elasticityKey).boolean(enabledKey).value_or(false)) {
        root.fail(elasticityKey,
                  "is enabled, so DeepSpeed chooses all batch sizes itself; switch it off to write one");
    }
    const DeepSpeedBatch batch{.global = readNumber(root, batchKey),
                               .micro = readNumber(root, microKey),
                               .steps = readNumber(root, stepsKey)};
    checkBatch(root, batch);
    return batch;
}

/// DeepSpeed keeps fp32 copies of half-precision parameters in its optimizers.
model::Precision readPrecision(const ConfigSection& root, ConfigContents& contents)
{
    std::vector<Warning>& warnings = contents.warnings;
    // "bfloat16" is the older name: BFLOAT16_OLD in DeepSpeed 0.16, deepspeed/runtime/constants.py.
    const ConfigSection bf16 = root.sectionAt(root.has("bf16") ? "bf16" : "bfloat16");
    const ConfigSection fp16 = root.sectionAt("fp16");
    if (isEnabled(bf16) && isEnabled(fp16))
        root.fail("fp16", "is enabled beside bf16, of which a run can have one; switch either off");
    if (isEnabled(bf16) || isEnabled(fp16)) {
        contents.places.precision = (isEnabled(bf16) ? bf16 : fp16).placeOf(enabledKey);
        return isEnabled(bf16) ? model::Precision::PureBf16 : model::Precision::PureFp16;
    }
    for (const auto& section : {bf16, fp16}) {
        if (isAuto(section, enabledKey)) {
            contents.places.precision = section.placeOf(enabledKey);
            warnOfApproximation(
                warnings, section.positionOf(enabledKey), approximation::otherPrecision,
                "{} is \"auto\": the Hugging Face Trainer's own config decides it; trials run in bfloat16 "
                "unless told otherwise.",
                section.pathOf(enabledKey));
            return model::Precision::PureBf16;
        }
    }
    return model::Precision::Fp32;
}

/// 0 where nothing is said: DeepSpeedZeroConfig in DeepSpeed 0.16, deepspeed/runtime/zero/config.py.
/// True for stage 1 in old configs: read_zero_config_deprecated there.
std::int64_t readStage(const ConfigSection& root)
{
    if (!root.hasSection(zeroKey))
        return root.boolean(zeroKey).value_or(false) ? 1 : 0;
    const ConfigSection zero = root.sectionIfAny(zeroKey);
    const std::int64_t stage = zero.integer("stage").value_or(0);
    if (stage < 0 || stage > 3)
        zero.fail("stage", "is {}; write 0, 1, 2 or 3", stage);
    return stage;
}

/// What lies in the host's memory, by the key of its section and the older name of that, which
/// DeepSpeedZeroConfig still takes.
bool isOffloaded(const ConfigSection& zero, std::string_view key, std::string_view olderKey)
{
    return offloads(zero, key) || zero.isOn(olderKey);
}

void readOffloads(const ConfigSection& zero, ConfigContents& contents)
{
    if (isOffloaded(zero, "offload_optimizer", "cpu_offload")) {
        contents.step.optimizerOnHost = true;
        const std::string_view key =
            offloads(zero, "offload_optimizer") ? "offload_optimizer" : "cpu_offload";
        warnOfApproximation(
            contents.warnings, zero.positionOf(key), approximation::hostOptimizer,
            "{} keeps the optimizer's state off the device and steps there, at the speed of the "
            "host's processor.",
            zero.pathOf(key));
    }
    if (isOffloaded(zero, "offload_param", "cpu_offload_params")) {
        const std::string_view key = offloads(zero, "offload_param") ? "offload_param" : "cpu_offload_params";
        warnOfApproximation(
            contents.warnings, zero.positionOf(key), approximation::hostWeights,
            "{} keeps weights off the device until a layer needs them, which costs time and leaves "
            "room; trials keep them there.",
            zero.pathOf(key));
    }
}

void readSharing(const ConfigSection& root, const BatchPlan& plan, ConfigContents& contents)
{
    constexpr std::array stages{model::Sharding::None, model::Sharding::Optimizer, model::Sharding::Gradients,
                                model::Sharding::Parameters};
    contents.step.sharding = stages.at(static_cast<std::size_t>(readStage(root)));
    const bool isAlone = plan.knowsDevices && plan.devices == 1;
    if (contents.step.sharding != model::Sharding::None && !isAlone) {
        warnOfApproximation(
            contents.warnings, root.positionOf(zeroKey), approximation::sharding,
            "ZeRO spreads the optimizer's state, and from stage 2 on more, over devices; what they "
            "send each other is not measured{}.",
            uncountedDevicesText(plan));
    }
    readOffloads(root.sectionIfAny(zeroKey), contents);
}

/// In bf16 they are added up in fp32 without ZeRO, where nothing else is said: get_data_types in DeepSpeed
/// 0.16, deepspeed/runtime/engine.py.
void warnOfGradients(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const ConfigSection bf16 = root.sectionAt(root.has("bf16") ? "bf16" : "bfloat16");
    if (!isEnabled(bf16))
        return;
    const ConfigSection types = root.sectionAt("data_types");
    const std::string type = types.text("grad_accum_dtype").value_or(readStage(root) == 0 ? "fp32" : "bf16");
    if (type != "fp32")
        return;
    warnOfApproximation(
        warnings, bf16.positionOf(enabledKey), approximation::fp32Gradients,
        "The run adds gradients up in fp32, 2 bytes a parameter more than in trials; leave memory "
        "free for them.");
}

/// What the sections of DeepSpeed's engine add to a step.
constexpr std::array<Difference, 4> differences{
    {{.key = "compression_training",
      .text = "The run trains a compressed network ({}); trials run it as it is.",
      .approximation = approximation::sparseWeights},
     {.key = "sparse_attention",
      .text = "The run has sparse attention ({}); trials have all of it.",
      .approximation = approximation::sparseAttention},
     {.key = "progressive_layer_drop",
      .text = "The run leaves out layers at random ({}); trials run all of them.",
      .approximation = approximation::droppedLayers},
     {.key = "curriculum_learning",
      .text = "The run begins with shorter samples ({}); trials run the longest."}}};

bool fits(const ConfigText& text)
{
    const auto root = text.document() && text.document()->isJson() ? text.root(Dialect::Json) : std::nullopt;
    return root && (root->find(microKey) || root->find(batchKey) || root->find(zeroKey));
}

/// \throws NotRun in any case
model::ModelSpec noNetwork(const ConfigSection& root)
{
    constexpr std::string_view key = "autotp_size";
    const ConfigSection cut = root.sectionAt("tensor_parallel");
    if (!isAuto(cut, key) && cut.integer(key).value_or(1) > 1)
        refuseRun(cut.positionOf(key),
                  sentence("cuts each layer over several devices ({})", cut.pathOf(key)));
    throw networkElsewhere(
        {}, "A DeepSpeed config describes no network; give one with --model, such as its config.json.");
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::Json);
    checkText(root);
    const DeepSpeedBatch batch = readBatch(root);
    ConfigContents contents{.model = networkOrWhyNot([&root] { return noNetwork(root); }),
                            .train = planOf(batch)};
    warnOfBatch(root, batch, contents.warnings);
    readSharing(root, *contents.train, contents);
    warnOf(root, differences, contents.warnings);
    contents.precision = readPrecision(root, contents);
    warnOfGradients(root, contents.warnings);
    readRun(root, runKeys, contents);
    if (root.hasSection("activation_checkpointing")) {
        warn(contents.warnings, root.positionOf("activation_checkpointing"),
             "activation_checkpointing only says how, not whether, activations are checkpointed; trials keep "
             "them all unless told otherwise.");
    }
    // Of "auto" the Trainer makes 1.0 where it is not told otherwise: TrainingArguments.max_grad_norm in
    // transformers 5.23. Else 0: GRADIENT_CLIPPING_DEFAULT in DeepSpeed 0.16, deepspeed/runtime/constants.py.
    contents.step.maxGradientNorm =
        isAuto(root, clippingKey) ? 1.0 : readGradientNorm(root, clippingKey, 0.0);
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
    .usualKeys = "train_batch_size train_micro_batch_size_per_gpu zero_optimization gradient_clipping "
                 "fp16.enabled bf16.enabled",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "differences.h"
#include "format.h"
#include "run_reader.h"
#include "syntax/yaml_scalar.h"
#include "training_arguments.h"

#include <array>

namespace batchpeak::config {

/// Configs of axolotl; how many devices there are is for the launcher to say.
///
/// The batch is micro_batch_size with gradient_accumulation_steps or with the deprecated batch_size, which is
/// that of one device; and eval_batch_size, which is micro_batch_size where it is absent.
///
/// Sources: HyperparametersConfig in axolotl 0.12, utils/schemas/training.py; TrainingValidationMixin,
/// utils/schemas/validation.py; normalize_config, utils/config/__init__.py.
namespace {

constexpr std::string_view microKey = "micro_batch_size";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view batchKey = "batch_size";
constexpr std::string_view evalKey = "eval_batch_size";
// ModelInputConfig, utils/schemas/model.py.
constexpr NameKeys nameKeys{.name = "base_model", .revision = "revision_of_model"};
constexpr AccumulationKeys keys{.microBatchSize = microKey, .accumulationSteps = stepsKey};

constexpr RunKeys runKeys{.optimizer = "optimizer",
                          .adamW = torchAdamW,
                          // None in HyperparametersConfig, and then not handed on (core/builders/base.py), so
                          // that TrainingArguments' own counts.
                          .gradientNorm = "max_grad_norm",
                          .usualGradientNorm = 1.0,
                          .learningRate = "learning_rate",
                          .weighsTokens = true};

/// batch_size stands in the place of accumulation steps; evaluation takes the size of training where it has
/// none of its own.
constexpr PlaceKeys placeKeys{.network = "base_model",
                              .globalBatch = batchKey,
                              .microBatch = microKey,
                              .accumulationSteps = stepsKey,
                              .evalMicroBatch = "eval_batch_size micro_batch_size",
                              .sequenceLength = "sequence_len",
                              .precisionSwitches = "bfloat16 bf16 fp16",
                              .tf32 = "tf32",
                              .checkpointing = "gradient_checkpointing"};

using enum Difference::When;

/// sequence_parallel_degree is the older name (utils/schemas/deprecated.py).
constexpr std::array<Difference, 6> otherRuns{
    {{"rl", "trains on preferences or rewards ({})"},
     {"reward_model", "trains a network that scores texts ({})"},
     {"process_reward_model", "trains a network that scores texts ({})"},
     {"tensor_parallel_size", cutOverDevices, AboveOne},
     {"context_parallel_size", cutOverDevices, AboveOne},
     {"sequence_parallel_degree", cutOverDevices, AboveOne}}};

void requireFullTraining(const ConfigSection& root)
{
    constexpr std::string_view adapterKey = "adapter";
    constexpr std::string_view partKey = "unfrozen_parameters";
    if (root.isOn(adapterKey))
        refuseAdapter(root.positionOf(adapterKey), root.text(adapterKey).value_or(""));
    if (root.isOn(partKey))
        refusePartialTraining(root.positionOf(partKey), "some parameters (unfrozen_parameters)");
}

constexpr std::array<Difference, 6> differences{
    {{"load_in_8bit", quantisedWeights},
     {"load_in_4bit", quantisedWeights},
     {"sample_packing", packedSamples},
     {"activation_offloading",
      "{} moves activations to the host; trials keep them on the device, which takes more memory."},
     {"fp8", "{} runs matrix products in fp8; trials run them in bfloat16, which takes longer."},
     {"float16", "{} keeps the parameters in float16; trials run in bfloat16."}}};

/// check_batch_size_fields and check_gas_bsz of TrainingValidationMixin.
/// \throws ConfigError where a number is illegal, or others than two of the three are there
void checkBatch(const ConfigSection& root)
{
    if (root.has(stepsKey) && root.has(batchKey)) {
        root.fail(batchKey,
                  "stands beside gradient_accumulation_steps, of which axolotl takes one; remove batch_size");
    }
    for (std::string_view key : {microKey, root.has(batchKey) ? batchKey : stepsKey}) {
        if (!root.has(key)) {
            throw errorAt(root.positionOf(key),
                          "{} is missing; axolotl takes micro_batch_size with gradient_accumulation_steps or "
                          "with batch_size, so write it.",
                          key);
        }
    }
    const std::int64_t size = countOr(root, microKey, 1);
    const std::int64_t batch = countOr(root, batchKey, size);
    if (batch < size) {
        root.fail(batchKey, "is {}, less than micro_batch_size, which is {}; write a multiple of it", batch,
                  size);
    }
}

BatchPlan trainPlan(const ConfigSection& root)
{
    BatchPlan plan = readAccumulatedBatch(root, keys);
    if (!root.has(batchKey))
        return plan;
    // normalize_config: there are batch_size // micro_batch_size of them.
    plan.globalBatchSize = countOr(root, batchKey, 1) / *plan.presentSize * *plan.presentSize;
    plan.globalBatchKey = batchKey;
    return plan;
}

/// Nothing where no texts are set aside and no size is written.
std::optional<BatchPlan> evalPlan(const ConfigSection& root)
{
    if (!root.isOn("val_set_size") && !root.isOn("test_datasets") && !root.has(evalKey))
        return std::nullopt;
    // normalize_config: the size of training where it has none of its own.
    return readPlainBatch(root, evalKey, countOr(root, microKey, 1));
}

/// check_context_parallel_size in utils/schemas/validation.py: ring attention takes packed samples one by
/// one.
bool packsOverDevices(const ConfigSection& root)
{
    return root.isOn("sample_packing") && (countOr(root, "context_parallel_size", 1) > 1 ||
                                           countOr(root, "sequence_parallel_degree", 1) > 1);
}

void warnOfBatch(const ConfigSection& root, const BatchPlan& train, std::vector<Warning>& warnings)
{
    if (root.has(batchKey)) {
        const bool isWhole = countOr(root, batchKey, 1) == train.globalBatchSize;
        warn(warnings, root.positionOf(batchKey),
             isWhole ? "batch_size is deprecated in axolotl; it is that of one device."
                     : "batch_size is deprecated in axolotl; it is that of one device, and no multiple of "
                       "micro_batch_size, so a step takes {} samples.",
             train.globalBatchSize);
    }
    // hint_eval_train_mbsz of TrainingValidationMixin.
    if (root.has(evalKey) && evalPlan(root)->presentSize != train.presentSize) {
        warn(warnings, root.positionOf(evalKey),
             "eval_batch_size differs from micro_batch_size; axolotl warns that memory may become unstable.");
    }
    if (packsOverDevices(root) && train.presentSize != 1) {
        warn(warnings, root.positionOf(microKey),
             "axolotl refuses a micro_batch_size other than 1 with sample_packing where a text is cut over "
             "devices.");
    }
}

/// "auto" where nothing is said (AxolotlInputConfig.bf16, utils/schemas/config.py), which is True on any GPU
/// that has it unless fp16 is on. "full" is True.
bool isBf16(const ConfigSection& root)
{
    if (root.boolean("bfloat16").value_or(false))
        return true;
    const bool isAuto = !root.has("bf16") || root.text("bf16") == "auto";
    return isAuto ? !root.boolean("fp16").value_or(false) : root.isOn("bf16");
}

/// resolve_dtype, utils/config/__init__.py, decides the type of the parameters too.
model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (isBf16(root)) {
        warnOfMissingCopies(root.positionOf(root.has("bf16") ? "bf16" : "bfloat16"), warnings);
        return model::Precision::PureBf16;
    }
    if (root.boolean("fp16").value_or(false)) {
        warnOfFloat16(root.positionOf("fp16"), warnings);
        return model::Precision::PureBf16;
    }
    // "auto" stands for True on any GPU that has it, as does an absent key (AxolotlInputConfig.tf32 in
    // axolotl 0.13, utils/schemas/config.py).
    const bool isOff = root.has("tf32") && !root.isOn("tf32");
    return isOff ? model::Precision::Fp32 : model::Precision::Tf32;
}

/// gradient_checkpointing is True, False, or a word for where activations go (AxolotlInputConfig): "offload",
/// "offload_disk", "unsloth". False where nothing is said.
bool readCheckpointing(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "gradient_checkpointing";
    const bool isOn = root.isOn(key);
    if (isOn && !asBoolean(*root.value(key))) {
        warn(warnings, root.positionOf(key),
             "{} moves checkpointed activations off the device; trials keep them there, which takes more "
             "memory.",
             root.pathOf(key));
    }
    return isOn;
}

/// attn_implementation, or one of the older switches (AxolotlInputConfig in axolotl 0.13,
/// utils/schemas/config.py).
void readAttention(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "attn_implementation";
    if (const auto name = root.text(key)) {
        contents.step.attention = attentionNamed(*name);
        contents.places.attention = root.placeOf(key);
        return;
    }
    for (std::string_view name : {"flash_attention", "xformers_attention", "eager_attention"}) {
        if (!root.isOn(name))
            continue;
        contents.step.attention = attentionNamed(name.substr(0, name.find('_')));
        contents.places.attention = root.placeOf(name);
        return;
    }
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    return root && root->find("base_model") &&
           hasOneOf(*root,
                    "micro_batch_size datasets pretraining_dataset sequence_len sample_packing num_epochs");
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    checkBatch(root);
    ConfigContents contents{.train = trainPlan(root), .eval = evalPlan(root)};
    warnOfBatch(root, *contents.train, contents.warnings);
    warnOfBatchFinder(root, contents.warnings);
    warnOfSharding(root, contents.warnings);
    warnOf(root, differences, contents.warnings);
    contents.model = networkOrWhyNot([&] {
        requireFullTraining(root);
        refuseOtherRun(root, otherRuns);
        return readNamedModel(root, nameKeys, text.networks(), contents);
    });
    // AxolotlInputConfig.sequence_len.
    contents.sequenceLength = countOr(root, "sequence_len", 512);
    settleLengths(contents);
    contents.precision = readPrecision(root, contents.warnings);
    readRun(root, runKeys, contents);
    contents.step.activationCheckpointing = readCheckpointing(root, contents.warnings);
    readAttention(root, contents);
    contents.training.halvesAutomatically = findsBatchSize(root);
    notePlaces(root, placeKeys, contents);
    return contents;
}

std::vector<EntryChange> trainChanges(const ConfigSection& root, const ChosenSize& chosen)
{
    if (packsOverDevices(root) && chosen.microBatchSize != 1) {
        throw errorAt(root.positionOf(microKey),
                      "axolotl takes a micro_batch_size of 1 alone with sample_packing where a text is cut "
                      "over devices (context_parallel_size); write 1, or switch either off.");
    }
    if (!root.has(batchKey))
        return accumulatedBatchChanges(root, keys, chosen);
    const WholeBatch batch = wholeBatch(trainPlan(root), chosen, root.positionOf(batchKey));
    return {countChange(microKey, chosen.microBatchSize), countChange(batchKey, batch.globalBatchSize)};
}

void noteEvaluation(const ConfigSection& root, std::int64_t microBatchSize, std::vector<std::string>& notes)
{
    const auto plan = evalPlan(root);
    if (plan && !root.has(evalKey)) {
        notes.emplace_back("Evaluation takes the same size, since there is no eval_batch_size.");
    } else if (plan && plan->presentSize != microBatchSize) {
        notes.push_back(
            sentence("eval_batch_size stays {}; axolotl warns of a size other than micro_batch_size.",
                     *plan->presentSize));
    }
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root();
    checkBatch(root);
    if (chosen.phase == model::Phase::Train) {
        std::vector<EntryChange> changes = trainChanges(root, chosen);
        std::vector<std::string> notes;
        switchOffBatchFinder(root, changes, notes);
        noteEvaluation(root, chosen.microBatchSize, notes);
        noteDeepSpeed(root, notes);
        return withChanges(root, changes, notes);
    }
    if (!evalPlan(root)) {
        throw ConfigError(
            "The config sets nothing aside to evaluate on; choose the other phase, or write val_set_size.");
    }
    return withChanges(root, {plainBatchChange(evalKey, microKey, chosen)});
}

} // namespace

constinit const Format axolotlFormat{
    .name = "axolotl",
    .mark = "base_model with micro_batch_size, datasets or sequence_len",
    .neededKeys = "base_model micro_batch_size|datasets|sequence_len",
    .usualKeys =
        "base_model micro_batch_size gradient_accumulation_steps sequence_len datasets adapter val_set_size",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

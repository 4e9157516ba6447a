// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "batch_schemes.h"
#include "format.h"
#include "llama_factory_tuning.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/words.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <memory>

namespace batchpeak::config {

/// Configs of LLaMA-Factory's second trainer, which has keys of its own: USE_V1=1 starts it in LLaMA-Factory
/// 0.9.5 (src/llamafactory/v1).
///
/// The batch is micro_batch_size on each device, and global_batch_size over all of them if it is written; the
/// launcher decides how many there are. The trainer never evaluates.
///
/// It reads with OmegaConf.load, as the first trainer does (llama_factory_format.cpp).
///
/// Keys and their defaults are those of ModelArguments, DataArguments and TrainingArguments in v1/config.
namespace {

constexpr std::string_view microKey = "micro_batch_size";
constexpr std::string_view globalKey = "global_batch_size";
constexpr std::string_view lengthKey = "cutoff_len";
constexpr std::string_view nameKey = "model";
constexpr std::string_view peftKey = "peft_config";
constexpr std::string_view savedKey = "modules_to_save";
constexpr std::string_view quantizationKey = "quant_config";
constexpr std::string_view bitsKey = "quantization_bit";
constexpr std::string_view devicesKey = "dist_config";
constexpr std::string_view textsKey = "train_dataset";
constexpr NameKeys nameKeys{.name = nameKey};

constexpr RunKeys runKeys{.gradientNorm = "max_grad_norm",
                          .defaultGradientNorm = 1.0,
                          .learningRate = "learning_rate",
                          .attention = "flash_attn",
                          // Weighted by valid tokens: fit() in v1/core/base_trainer.py.
                          .weighsTokens = true};

constexpr PlaceKeys placeKeys{.network = nameKey,
                              .globalBatch = globalKey,
                              .microBatch = microKey,
                              .sequenceLength = lengthKey,
                              .precisionSwitches = "bf16",
                              .optimizer = "optim_config",
                              .checkpointing = "enable_activation_checkpointing"};

using enum UnmodeledFeature::When;

constexpr std::array<UnmodeledFeature, 4> unsupportedRuns{
    {{"cp_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"pref_beta", "trains on preferences ({})", On, {}, {}, reason::preferences},
     {"pref_ftx", "trains on preferences ({})", On, {}, {}, reason::preferences},
     {"simpo_gamma", "trains on preferences ({})", On, {}, {}, reason::preferences}}};

/// Keys of runs on preferences. The loss identifies the method; the others are options of DPO only.
constexpr std::string_view keysOfPairs = "pref_loss dpo_label_smoothing ld_alpha";

/// Returns the name of a section's plugin; empty if there is none.
std::string nameOf(const ConfigSection& root, std::string_view key)
{
    return root.sectionIfAny(key).text("name").value_or("");
}

/// Refuses runs on other texts. The command decides what texts are used for, not a key; data for preferences
/// is recognized only by its name.
void refuseOtherTexts(const ConfigSection& root)
{
    if (root.sectionIfAny(peftKey).isOn("export_dir"))
        refuseRun(root.positionOf(peftKey), "trains nothing (peft_config.export_dir)", reason::noTraining);
    if (!root.isOn(textsKey))
        refuseRun(root.positionOf(textsKey), "names no texts to train on (train_dataset)",
                  reason::noTraining);
    const std::string texts = lowerCase(root.text(textsKey).value_or(""));
    if (texts.find("dpo") != std::string::npos || texts.find("preference") != std::string::npos)
        refuseRun(root.positionOf(textsKey), "trains on preferences (train_dataset)", reason::preferences);
    const std::string kind = root.text("model_class").value_or("llm");
    if (kind != "llm") {
        refuseRun(root.positionOf("model_class"),
                  sentence("trains a network of the class {} (model_class)", kind),
                  kind == "cls" ? reason::preferences : reason::otherRun);
    }
    for (std::string_view key : splitWords(keysOfPairs)) {
        if (root.isOn(key))
            refuseRun(root.positionOf(key), *onPreferences(methodOnPairs(root), key), reason::preferences);
    }
    refuseOtherRun(root, unsupportedRuns);
    if (root.sectionIfAny(devicesKey).integer("ep_size").value_or(1) > 1) {
        refuseRun(root.positionOf(devicesKey), "cuts the network over several devices (dist_config.ep_size)",
                  reason::overDevices);
    }
}

bool isSharded(const ConfigSection& root)
{
    return isAmong(nameOf(root, devicesKey), "fsdp2 fsdpturbo");
}

bool isMixed(const ConfigSection& root)
{
    return isSharded(root) && root.boolean("bf16").value_or(true);
}

/// Whether trained parameters are converted to fp32, if only some layers are trained.
bool castsTrained(const ConfigSection& root)
{
    return root.sectionIfAny(peftKey).boolean("cast_trainable_params_to_fp32").value_or(true);
}

/// Whether the run quantizes the network. "auto" without bits is for a network that is quantized in its file.
bool quantizes(const ConfigSection& root)
{
    const std::string name = nameOf(root, quantizationKey);
    return !name.empty() && (name != "auto" || root.sectionIfAny(quantizationKey).integer(bitsKey));
}

bool isQuantized(const ConfigSection& root, const ConfigContents& contents)
{
    return quantizes(root) || model::isQuantized(contents.tuning.frozenWeights);
}

/// Reads the settings of devices: FSDP2Engine in v1/plugins/trainer_plugins/distributed/fsdp2.py, or
/// DeepSpeed, whose settings are in another file.
void readDevices(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection devices = root.sectionIfAny(devicesKey);
    if (nameOf(root, devicesKey) == "deepspeed") {
        warnOfApproximation(contents.warnings, devices.positionOf("config_file"), approximation::otherFile,
                            "DeepSpeed can spread the network over devices or move parts of it to the host "
                            "(dist_config); trials hold all of it on one device, so larger sizes may fit in "
                            "the run.");
    }
    if (!isSharded(root))
        return;
    contents.step.sharding = devices.boolean("reshard_after_forward").value_or(true)
                                 ? model::Sharding::Parameters
                                 : model::Sharding::Gradients;
    warnOfSharding(root.positionOf(devicesKey), sentence("{} spreads the network over devices", devicesKey),
                   contents);
    if (devices.boolean("offload_params").value_or(false)) {
        contents.step.optimizerOnHost = true;
        warnOfApproximation(contents.warnings, devices.positionOf("offload_params"),
                            approximation::hostWeights, hostWeightsText);
    }
}

/// Reads the keys of BnbParams in v1/plugins/model_plugins/quantization.py.
void readQuantization(const ConfigSection& root, PeftAdapter& adapter, std::vector<Warning>& warnings)
{
    if (!quantizes(root))
        return;
    const ConfigSection quantization = root.sectionIfAny(quantizationKey);
    const auto bits = quantization.integer(bitsKey);
    if (bits && *bits != 4 && *bits != 8)
        quantization.fail(bitsKey, "is {}, which bitsandbytes does not have; write 4 or 8", *bits);
    if (bits == 8) {
        adapter.frozenWeights = model::FrozenWeights::Int8;
        warnOfIntegerKernels(quantization, bitsKey, warnings);
        return;
    }
    adapter.frozenWeights = model::FrozenWeights::Nf4;
    adapter.doubleQuantization = quantization.boolean("double_quantization").value_or(true);
    if (quantization.text("compute_dtype").value_or("float16") == "float16") {
        warnOfApproximation(warnings, quantization.positionOf("compute_dtype"), approximation::float16,
                            "The run multiplies weights of 4 bits in float16; trials do in bfloat16.");
    }
}

/// Reads the keys of LoraParams in v1/plugins/model_plugins/peft.py.
decltype(ConfigContents::tuningFor) readAdapter(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const ConfigSection section = *root.section(peftKey);
    constexpr std::string_view targetsKey = "target_modules";
    PeftAdapter adapter{
        .rank = sizeOr(section, "r", 8),
        .alpha = section.number("lora_alpha").value_or(16.0),
        .dropout = dropoutRateOr(section, "lora_dropout", 0.05),
        .rankStabilized = section.boolean("use_rslora").value_or(false),
        .usesDora = section.boolean("use_dora").value_or(false),
        .modulesToSave = readTexts(section, savedKey),
        .place = {.path = section.pathOf(targetsKey), .position = section.positionOf(targetsKey)},
        .frozenWeights =
            isSharded(root) && !isMixed(root) ? model::FrozenWeights::Fp32 : model::FrozenWeights::Bf16};
    std::vector<std::string> names = readTexts(section, targetsKey);
    adapter.targetsLinearNames = names.empty() || (names.size() == 1 && names.front() == "all");
    adapter.targets = adapter.targetsLinearNames ? std::vector<std::string>() : std::move(names);
    readQuantization(root, adapter, warnings);
    if (section.isOn(savedKey))
        warnOfNarrowCopies(section, savedKey, warnings);
    if (section.isOn("adapter_name_or_path"))
        warnOfAdapterFile(section, "adapter_name_or_path", warnings);
    return tuningBy(std::move(adapter));
}

/// \throws NotRun if trials do not support it
decltype(ConfigContents::tuningFor) readTuning(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const std::string name = nameOf(root, peftKey);
    if (name.empty())
        return nullptr;
    if (name == "lora")
        return readAdapter(root, warnings);
    if (name != "freeze")
        refuseAdapter(root.positionOf(peftKey), name);
    return readTrainedLayers(*root.section(peftKey), isMixed(root) && castsTrained(root)
                                                         ? model::FrozenWeights::Bf16
                                                         : model::FrozenWeights::Same);
}

/// Returns the precision with adapters if no layer is cast to 16 bits. PEFT casts to and from the type of
/// adapters (Linear.forward in PEFT 0.18, peft/tuners/lora/layer.py), unless FSDP casts all to fp32
/// (get_mp_policy in fsdp2.py). Whole modules are copied in the type of the network; trials hold that type
/// beside fp32 only with autocast.
model::Precision readUncastAdapters(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection section = root.sectionIfAny(peftKey);
    if (isSharded(root) && !isQuantized(root, contents)) {
        warnOfTypeOfFile(root.positionOf(nameKey), "fp32, to which FSDP casts them", contents);
        return model::Precision::Fp32;
    }
    warnOfTypeOfFile(root.positionOf(nameKey), asMostFiles, contents);
    if (!section.isOn(savedKey) && !isQuantized(root, contents))
        return model::Precision::Fp32;
    warnOfFp32Adapters(root.positionOf(peftKey), "nothing casts them", contents.warnings);
    return model::Precision::Bf16;
}

/// Returns the precision. _init_model in v1/core/model_engine.py loads weights in the type of their file, and
/// converts all of them to fp32 if all are trained. Only FSDP computes in bfloat16; without it every number
/// keeps its own type, and no product takes two types.
model::Precision readPrecision(const ConfigSection& root, ConfigContents& contents)
{
    const std::string method = nameOf(root, peftKey);
    if (nameOf(root, devicesKey) == "deepspeed") {
        warnOfApproximation(contents.warnings, root.positionOf(devicesKey), approximation::otherPrecision,
                            "The DeepSpeed config of this run decides its precision; trials run in bfloat16 "
                            "with fp32 parameters.");
        return model::Precision::Bf16;
    }
    if (method.empty())
        return isMixed(root) ? model::Precision::Bf16 : model::Precision::Fp32;
    if (method == "lora" && !isMixed(root))
        return readUncastAdapters(root, contents);
    const bool isNarrow = method == "freeze" && !castsTrained(root);
    const bool isWide = method == "freeze" && !isNarrow && !isMixed(root);
    warnOfTypeOfFile(root.positionOf(nameKey),
                     isWide ? "fp32, since what is trained wants no other" : asMostFiles, contents);
    if (isWide)
        return model::Precision::Fp32;
    return isNarrow ? model::Precision::PlainBf16 : model::Precision::Bf16;
}

/// Warns of kernels in v1/plugins/model_plugins/kernels: "auto" selects kernels for NPUs only.
void warnOfKernels(const ConfigSection& root, std::vector<Warning>& warnings)
{
    std::string names = nameOf(root, "kernel_config");
    std::ranges::replace(names, ',', ' ');
    for (std::string_view name : splitWords(names)) {
        if (name == "auto" || name.starts_with("npu_"))
            continue;
        warnOfApproximation(warnings, root.positionOf("kernel_config"), approximation::otherKernels,
                            "{} runs kernels of its own; trials run PyTorch's, which take longer and more "
                            "memory.",
                            name);
    }
}

/// Warns of strategies in v1/plugins/trainer_plugins/batching.py. Texts of full length, as those of trials
/// are, need no padding, so concatenating them without padding, with attention within each text, makes no
/// difference.
void warnOfBatching(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "batching_strategy";
    const std::string strategy = root.text(key).value_or("normal");
    if (strategy == "dynamic_batching") {
        warn(warnings, root.positionOf(key),
             "The run takes more texts at a time where they are short, as far as {} of full length would "
             "reach, "
             "which is what trials run.",
             microKey);
    } else if (strategy != "normal" && !strategy.ends_with("padding_free")) {
        root.fail(key,
                  "is \"{}\", which is none of normal, padding_free, dynamic_batching, "
                  "dynamic_padding_free",
                  strategy);
    }
}

void readOptimizerInto(const ConfigSection& root, ConfigContents& contents)
{
    if (const std::string name = nameOf(root, "optim_config"); !name.empty())
        contents.optimizer = readOptimizer(name, "", root.positionOf("optim_config"), contents.warnings);
}

BatchPlan readTrainPlan(const ConfigSection& root)
{
    BatchPlan plan = readPlainBatch(root, microKey, 1);
    if (!root.has(globalKey))
        return plan;
    plan.globalBatchSize = countOr(root, globalKey, 1);
    plan.globalBatchKey = globalKey;
    plan.isOverAllDevices = true;
    return plan;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    const YamlNode* name = root ? root->value(nameKey) : nullptr;
    return name && name->kind == NodeKind::Scalar &&
           hasOneOf(*root, "model_class kernel_config dist_config peft_config quant_config init_config "
                           "train_dataset batching_strategy");
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    ConfigContents contents{.train = readTrainPlan(root)};
    warnOfKernels(root, contents.warnings);
    warnOfBatching(root, contents.warnings);
    readDevices(root, contents);
    contents.model = networkOrError([&] {
        refuseOtherTexts(root);
        contents.tuningFor = readTuning(root, contents.warnings);
        return readNamedModel(root, nameKeys, text.networks(), contents);
    });
    resolveTuning(contents);
    contents.sequenceLength = readLength(root, lengthKey).value_or(2048);
    resolveLengths(contents);
    contents.precision = readPrecision(root, contents);
    readRun(root, runKeys, contents);
    readOptimizerInto(root, contents);
    contents.step.activationCheckpointing = root.boolean("enable_activation_checkpointing").value_or(true);
    notePlaces(root, placeKeys, contents);
    resolveAttention(contents);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root();
    if (chosen.phase == model::Phase::Eval)
        throw ConfigError("This trainer of LLaMA-Factory never evaluates; choose the other phase.");
    const BatchPlan plan = readTrainPlan(root);
    const WholeBatch batch =
        wholeBatch(plan, chosen, root.positionOf(root.has(globalKey) ? globalKey : microKey));
    std::vector<EntryChange> changes{countChange(microKey, chosen.microBatchSize, nameKey)};
    std::vector<std::string> notes;
    if (root.has(globalKey)) {
        if (chosen.globalBatchSize)
            changes.push_back(countChange(globalKey, batch.globalBatchSize, microKey));
    } else if (batch.accumulationSteps > 1) {
        changes.push_back(countChange(globalKey, batch.globalBatchSize, microKey));
        notes.push_back(
            sentence("{} is that of all devices together; it is written for one, so multiply it by "
                     "the number of devices that the launcher starts.",
                     globalKey));
    }
    return withChanges(root, changes, notes);
}

} // namespace

constinit const Format llamaFactoryV1Format{
    .name = "LLaMA-Factory v1",
    .mark = "model with model_class, train_dataset or the config of a plugin",
    .neededKeys = "model model_class|kernel_config|dist_config|peft_config|quant_config|train_dataset",
    .defaultKeys = "model model_class kernel_config dist_config train_dataset micro_batch_size cutoff_len",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

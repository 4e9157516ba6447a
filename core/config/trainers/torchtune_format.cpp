// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "batch_schemes.h"
#include "format.h"
#include "networks/network_readers.h"
#include "packing.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "torchtune_quantizer.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

/// A training config of torchtune's recipes: batch_size is the micro-batch of one GPU, and
/// gradient_accumulation_steps of them make a batch.
///
/// The launcher decides how many GPUs there are, so the plan is that of one GPU. With optimizer_in_bwd there
/// is no gradient accumulation, so the batch of a step is one micro-batch.
///
/// Defaults are those of recipes/full_finetune_single_device.py and full_finetune_distributed.py of torchtune
/// 0.7.
namespace {

constexpr std::string_view sizeKey = "batch_size";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view evalKey = "batch_size_val";
constexpr std::string_view inBackwardKey = "optimizer_in_bwd";
constexpr std::string_view componentKey = "_component_";
constexpr AccumulationKeys keys{.microBatchSize = sizeKey, .accumulationSteps = stepsKey};

constexpr RunKeys runKeys{.learningRate = "optimizer.lr",
                          .checkpointing = "enable_activation_checkpointing",
                          // train() of recipes/full_finetune_single_device.py divides by num_tokens since
                          // torchtune 0.4 (pull request 1875).
                          .weighsTokens = true};

constexpr PlaceKeys placeKeys{.network = "model._component_",
                              .microBatch = sizeKey,
                              .accumulationSteps = stepsKey,
                              .evalMicroBatch = "batch_size_val batch_size",
                              .sequenceLength = "tokenizer.max_seq_len dataset.max_seq_len",
                              .precision = "dtype",
                              .optimizer = "optimizer._component_",
                              .gradientNorm = "clip_grad_norm"};

using enum UnmodeledFeature::When;

/// What the run does and trials do not. Keys are those of recipes/knowledge_distillation_*.py,
/// full_dpo_distributed.py and lora_dpo_*.py.
constexpr std::array<UnmodeledFeature, 6> unsupportedRuns{
    {{"teacher_model", "uses a second network, the teacher ({})", There, {}, {}, reason::secondNetwork},
     {"ref_checkpointer", "uses a second network, the reference ({})", There, {}, {}, reason::preferences},
     {"reference_checkpointer",
      "uses a second network, the reference ({})",
      There,
      {},
      {},
      reason::preferences},
     {"policy_model", "trains several networks ({})", There, {}, {}, reason::preferences},
     {"tensor_parallel_dim",
      "cuts layers or sequences over several GPUs ({})",
      AboveOne,
      {},
      {},
      reason::overDevices},
     {"context_parallel_dim",
      "cuts layers or sequences over several GPUs ({})",
      AboveOne,
      {},
      {},
      reason::overDevices}}};

constexpr std::array<UnmodeledFeature, 4> differences{
    {{.key = "compile",
      .text = "Trials run the network as it is, not compiled (compile).",
      .approximation = approximation::compiled},
     {.key = "enable_activation_offloading",
      .text =
          "Trials keep activations on the GPU, which a run with enable_activation_offloading moves to the "
          "host's memory.",
      .approximation = approximation::hostActivations},
     {.key = "enable_fp8_training",
      .text = "Trials run products in bf16, not in 8 bits (enable_fp8_training).",
      .approximation = approximation::narrowProducts},
     {.key = "fsdp_cpu_offload",
      .text =
          "The run keeps weights in the host's memory too (fsdp_cpu_offload); trials keep them on the GPU.",
      .approximation = approximation::hostWeights}}};

/// Keys that only the recipes for several GPUs read: cfg.get() in recipes/full_finetune_distributed.py and
/// lora_finetune_distributed.py.
constexpr std::string_view distributedKeys =
    "fsdp_cpu_offload fsdp_reshard_after_forward custom_sharded_layers data_parallel_shard_dim "
    "data_parallel_replicate_dim tensor_parallel_dim tensor_parallel_plan context_parallel_dim ac_mode "
    "enable_fp8_training";

/// Returns the last part of the name of what a section builds: "AdamW".
std::string componentOf(const ConfigSection& section)
{
    const std::string component = section.text(componentKey).value_or("");
    return component.substr(component.rfind('.') + 1);
}

/// Refuses runs that trials cannot represent, although their network can be built.
///
/// Python runs DPO, of the runs that train on preferences.
void refuseOtherRuns(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection loss = root.sectionIfAny("loss");
    const std::string name = componentOf(loss);
    const bool isDpo = name.find("DPO") != std::string::npos && !root.has("policy_model");
    refuseOtherRun(root, unsupportedRuns, isDpo ? model::Preference::Dpo : model::Preference::None, contents);
    const std::string key = loss.pathOf(componentKey);
    if (isDpo) {
        noteRunOnPreferences(loss.positionOf(componentKey), onPreferencePairs("DPO", key),
                             model::Preference::Dpo, contents);
        // LoRADPORecipeSingleDevice in recipes/lora_dpo_single_device.py of torchtune 0.7.
        warnOfApproximation(contents.warnings, loss.positionOf(componentKey), approximation::otherLoss,
                            "torchtune's recipe computes the chances of texts by itself; trials compute them "
                            "by trl, which may take another time and other memory.");
        return;
    }
    for (std::string_view kind : {"DPO", "RSO", "SimPO"}) {
        if (name.find(kind) != std::string::npos)
            refuseRun(loss.positionOf(componentKey), onPreferencePairs(kind, key), reason::preferences);
    }
    for (std::string_view kind : {"PPO", "GRPO"}) {
        if (name.find(kind) != std::string::npos)
            refuseRun(loss.positionOf(componentKey),
                      sentence("trains on rewards of its own answers ({}, {})", kind, key),
                      reason::preferences);
    }
}

BatchPlan readTrainPlan(const ConfigSection& root)
{
    if (!root.has(sizeKey)) {
        throw errorAt(root.positionOf(sizeKey),
                      "batch_size is missing; write how many samples one GPU takes at a time.");
    }
    BatchPlan plan = readAccumulatedBatch(root, keys);
    const std::int64_t steps = countOr(root, stepsKey, 1);
    if (steps > 1 && root.boolean(inBackwardKey).value_or(false)) {
        // __init__ of recipes/full_finetune_single_device.py in torchtune 0.7.
        root.fail(stepsKey,
                  "is {}, but torchtune takes only 1 where {} is True; set one of the two otherwise", steps,
                  inBackwardKey);
    }
    return plan;
}

// Reads the precision as get_dtype in torchtune/training/precision.py does: the default is fp32, and TF32
// stays off. The network is built in that type (set_default_dtype in the recipes), so gradients and optimizer
// state have it too.
model::Precision readPrecision(const ConfigSection& root)
{
    constexpr std::string_view key = "dtype";
    const std::string type = root.text(key).value_or("fp32");
    if (type == "fp32")
        return model::Precision::Fp32;
    if (type != "bf16")
        root.fail(key, "is \"{}\", which torchtune's recipes do not train in; write bf16 or fp32", type);
    return model::Precision::PlainBf16;
}

/// An optimizer of bitsandbytes or torchao, identified only by its class: what it stores, and what trials do
/// differently.
struct LibraryOptimizer
{
    std::string_view name;
    model::Optimizer kind = model::Optimizer::AdamW;
    std::string_view approximation;
    std::string_view text;
};

constexpr std::string_view pagedText =
    "The run moves the state of {} to the host's memory where the GPU's runs "
    "out; trials keep it on the GPU, so larger sizes may fit in the run.";
constexpr std::string_view narrowText =
    "Trials step {} by other operations than its library's kernel, in another time; its memory is the run's.";

// bitsandbytes/optim of bitsandbytes 0.50.2, and torchao/optim of torchao 0.13, whose older name is
// torchao.prototype.low_bit_optim. Paged optimizers are recognized by their name, before these.
constexpr std::array<LibraryOptimizer, 8> libraryOptimizers{
    {{"AdamW8bit", model::Optimizer::AdamW8bit, approximation::step8bit, narrowText},
     {"Adam8bit", model::Optimizer::AdamW8bit, approximation::step8bit, narrowText},
     {"AdamWFp8", model::Optimizer::AdamW8bit, approximation::torchaoStep8bit, narrowText},
     {"AdamW4bit", model::Optimizer::AdamW4bit, approximation::step4bit, narrowText},
     {"AdamW32bit", model::Optimizer::AdamW32bit, {}, {}},
     {"Adam32bit", model::Optimizer::AdamW32bit, {}, {}},
     {"Lion8bit", model::Optimizer::Lion8bit, approximation::step8bit, narrowText},
     {"Lion32bit", model::Optimizer::Lion, approximation::lionByOperations, narrowText}}};

constexpr std::string_view hostText =
    "{} keeps the optimizer's state in the host's memory and steps there, at the "
    "speed of its processor.";

/// Reads the optimizer's arguments. If the backward pass includes the step, it updates each parameter by
/// itself, so the temporary values of an unfused step never exist for all parameters at once.
void readArguments(const ConfigSection& section, const std::string& component, ConfigContents& contents)
{
    readOptimizerArguments(section, contents);
    const bool isFused = component != "torch.optim.AdamW" || section.boolean("fused").value_or(false) ||
                         contents.step.updatesInBackward;
    contents.step.adamWStep = isFused ? model::AdamWStep::Fused : model::AdamWStep::Operations;
}

/// Reads the optimizer of that section, and where its state is stored.
void readOptimizerInto(const ConfigSection& section, ConfigContents& contents)
{
    const TextPosition position = section.positionOf(componentKey);
    const std::string component = section.text(componentKey).value_or("");
    std::string name = componentOf(section);
    if (name == "CPUOffloadOptimizer") {
        // The default of optimizer_class is torch's AdamW: torchao/optim/cpu_offload.py of torchao 0.13.
        contents.step.optimizerOnHost = true;
        warnOfApproximation(contents.warnings, position, approximation::hostOptimizer, hostText, component);
        name = section.sectionIfAny("optimizer_class").text(componentKey).value_or("AdamW");
        name = name.substr(name.rfind('.') + 1);
    }
    if (constexpr std::string_view paged = "Paged"; name.starts_with(paged)) {
        name.erase(0, paged.size());
        warnOfApproximation(contents.warnings, position, approximation::pagedOptimizer, pagedText, component);
    }
    // Without a number in the name, the optimizer has 32 bits: __init__ of each in bitsandbytes has
    // optim_bits=32.
    if (isAmong(name, "AdamW Adam Lion") && component.starts_with("bitsandbytes."))
        name += "32bit";
    // Adafactor of torch 2.11 (optim/_adafactor.py) keeps state as wide as the gradients, and represents a
    // moment by other matrices than that of transformers, which trials run.
    if (name == "Adafactor" && component.starts_with("torch."))
        name = component;
    if (const auto* known = std::ranges::find(libraryOptimizers, name, &LibraryOptimizer::name);
        known != libraryOptimizers.end()) {
        contents.optimizer = known->kind;
        const bool isOfTorchao =
            known->approximation == approximation::step8bit && component.starts_with("torchao.");
        if (!known->approximation.empty())
            warnOfApproximation(contents.warnings, position,
                                isOfTorchao ? approximation::torchaoStep8bit : known->approximation,
                                known->text, component);
    } else if (!name.empty()) {
        contents.optimizer = readOptimizer(name, {}, position, contents.warnings);
        readArguments(section, component, contents);
    }
}

/// Reads FSDP, which shards everything over the GPUs of a distributed recipe: shard_model in
/// torchtune/training/_distributed.py.
void readFsdp(const ConfigSection& root, ConfigContents& contents)
{
    const auto keys = splitWords(distributedKeys);
    const auto found = std::ranges::find_if(keys, [&root](std::string_view key) { return root.has(key); });
    // The default is -1, the devices that the other dimensions leave: ParallelDims in the same file.
    if (found == keys.end() || root.integer("data_parallel_shard_dim").value_or(-1) == 1)
        return;
    // If it is off, weights stay gathered from forward to backward, as with SHARD_GRAD_OP.
    const bool gathersTwice = root.boolean("fsdp_reshard_after_forward").value_or(true);
    contents.step.sharding = gathersTwice ? model::Sharding::Parameters : model::Sharding::Gradients;
    warnOfSharding(
        root.positionOf(*found),
        "The recipe spreads weights, gradients and optimizer state over GPUs, whose number the launcher "
        "decides",
        contents);
    if (root.boolean("fsdp_cpu_offload").value_or(false)) {
        contents.step.optimizerOnHost = true;
        warnOfApproximation(contents.warnings, root.positionOf("fsdp_cpu_offload"),
                            approximation::hostOptimizer, hostText, "fsdp_cpu_offload");
    }
}

/// Reads checkpointing as _setup_model in recipes/full_finetune_distributed.py does: ac_mode counts if
/// enable_activation_checkpointing is off; if both are on, neither counts.
void readCheckpointing(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "ac_mode";
    const auto mode = root.text(key);
    if (!mode)
        return;
    const bool isSelective = mode == "selective" && root.text("ac_option").value_or("") != "1";
    contents.step.activationCheckpointing =
        !contents.step.activationCheckpointing && (mode == "full" || mode == "selective");
    if (!contents.step.activationCheckpointing)
        return;
    contents.places.activationCheckpointing = root.placeOf(key);
    if (isSelective) {
        warnOfApproximation(
            contents.warnings, root.positionOf(key), approximation::otherCheckpointing,
            "The run checkpoints some layers or operations (ac_mode), trials each layer, which "
            "takes more time and less memory.");
    }
}

double readClipping(const ConfigSection& root)
{
    constexpr std::string_view key = "clip_grad_norm";
    // 'inf' measures the norm but scales nothing.
    const bool isInfinite =
        root.has(key) && !asNumber(*root.value(key)) && root.text(key).value_or("").ends_with("inf");
    return isInfinite ? 0.0 : readGradientNorm(root, key, 0.0);
}

/// Reads LinearCrossEntropyLoss, and the older CEWithChunkedOutputLoss, in torchtune/modules/loss.
void readLoss(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection loss = root.sectionIfAny("loss");
    const std::string name = componentOf(loss);
    if (name == "LinearCrossEntropyLoss" || name == "CEWithChunkedOutputLoss")
        contents.step.lossParts = countOr(loss, "num_output_chunks", 8);
}

void readLengths(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "max_seq_len";
    for (std::string_view name : {"tokenizer", "dataset"}) {
        if (const auto length = readLength(root.sectionIfAny(name), key)) {
            contents.sequenceLength = *length;
            return;
        }
    }
    contents.sequenceLength = defaultLength(contents);
    contents.lengthIsOpen = true;
    const bool isKnown = std::holds_alternative<model::ModelSpec>(contents.model);
    warn(contents.warnings,
         root.hasSection("tokenizer") ? root.sectionIfAny("tokenizer").positionOf(key) : root.positionOf(key),
         isKnown
             ? "tokenizer.max_seq_len is not set, so samples are as long as the data; trials run samples of "
               "{} tokens. Set it, or give the length of yours with --sequence-length."
             : "tokenizer.max_seq_len is not set, so samples are as long as the data; set it, or give a "
               "length with --sequence-length.",
         contents.sequenceLength);
}

/// Reads packing as in PackedDataset in torchtune/datasets/_packed.py, whose mask flex attention applies on a
/// GPU (packed_block_causal_mask in torchtune/modules/attention_utils.py).
void readPackingOf(const ConfigSection& dataset, ConfigContents& contents)
{
    constexpr std::string_view key = "packed";
    if (!dataset.boolean(key).value_or(false) || contents.step.packedTextLength > 0)
        return;
    packTexts(dataset.positionOf(key), dataset.pathOf(key), contents);
    warnOfApproximation(contents.warnings, dataset.positionOf(key), approximation::otherAttention,
                        "The recipe masks packed texts by flex attention on a GPU, trials by PyTorch's own "
                        "kernels, which take longer.");
}

void readPacking(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "dataset";
    const YamlNode* value = root.value(key);
    if (!value || value->kind != NodeKind::Sequence) {
        readPackingOf(root.sectionIfAny(key), contents);
        return;
    }
    for (const ConfigSection& dataset : root.sections(key))
        readPackingOf(dataset, contents);
}

void readRunInto(const ConfigSection& root, ConfigContents& contents)
{
    contents.precision = readPrecision(root);
    contents.step.updatesInBackward = root.boolean(inBackwardKey).value_or(false);
    readOptimizerInto(root.sectionIfAny("optimizer"), contents);
    readRun(root, runKeys, contents);
    readCheckpointing(root, contents);
    contents.step.maxGradientNorm = readClipping(root);
    if (contents.step.updatesInBackward && contents.step.maxGradientNorm > 0) {
        // __init__ of recipes/full_finetune_single_device.py in torchtune 0.7.
        root.fail("clip_grad_norm",
                  "is set, which torchtune refuses where {} is True; leave one of the two out",
                  inBackwardKey);
    }
    readLoss(root, contents);
    readPacking(root, contents);
    readFsdp(root, contents);
    warnOf(root, differences, contents.warnings);
    // The keys are from torchtune's RFC (pull request 2199), which was not adopted: no release knows them.
    contents.training.usesMaximumBatchSize = root.boolean("use_maximum_batch_size").value_or(false);
    contents.training.batchIncreaseFunction = root.text("batch_increase_function").value_or("");
    notePlaces(root, placeKeys, contents);
}

/// Reads the model section. If the network is not known here, its adapters apply to the network that another
/// file provides.
void readModelInto(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection section = *root.section("model");
    contents.hasOwnModules = true;
    contents.model = networkOrError([&] {
        refuseOtherRuns(root, contents);
        return readTorchtuneModel(section, contents.warnings);
    });
    const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
    if (unsupported && !unsupported->isElsewhere)
        return;
    contents.tuning = readTorchtuneTuning(section, contents.warnings);
    if (const auto* network = std::get_if<model::ModelSpec>(&contents.model))
        checkTorchtuneTuning(section, *network);
    contents.model = networkOrError([&] {
        readTorchtuneQuantizer(root, contents);
        return contents.model;
    });
}

bool namesAComponent(const ConfigSection& root, std::string_view key)
{
    const auto component = root.sectionIfAny(key).find(componentKey);
    return component && component->target->kind == NodeKind::Scalar;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root(Dialect::OmegaConf);
    return root && namesAComponent(*root, "model") &&
           (root->find("dataset") || namesAComponent(*root, "optimizer"));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    ConfigContents contents{.train = readTrainPlan(root)};
    // The default is the size of training: setup() of recipes/full_finetune_distributed.py in torchtune 0.7.
    if (root.has("dataset_val"))
        contents.eval = readPlainBatch(root, evalKey, *contents.train->presentSize);
    readModelInto(root, contents);
    readLengths(root, contents);
    readRunInto(root, contents);
    return contents;
}

SplicedText spliceTrain(const ConfigSection& root, const ChosenSize& chosen)
{
    const std::int64_t batch = chosen.globalBatchSize.value_or(readTrainPlan(root).globalBatchSize);
    if (root.boolean(inBackwardKey).value_or(false) && chosen.microBatchSize < batch) {
        throw errorAt(root.positionOf(inBackwardKey),
                      "A batch of {} samples in micro-batches of {} has to be accumulated, which torchtune "
                      "refuses where {} is True; set that to False, or choose a batch of {}.",
                      batch, chosen.microBatchSize, inBackwardKey, chosen.microBatchSize);
    }
    std::vector<std::string> notes;
    if (root.has("dataset_val") && !root.has(evalKey))
        notes.push_back(sentence("Validation takes this size too, because {} is not set.", evalKey));
    return withChanges(root, accumulatedBatchChanges(root, keys, chosen), notes);
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    if (chosen.phase == model::Phase::Train)
        return spliceTrain(root, chosen);
    if (!root.has("dataset_val")) {
        throw ConfigError("The config has no dataset_val, so it does not evaluate; choose the other phase.");
    }
    return withChanges(root, {plainBatchChange(evalKey, sizeKey, chosen)});
}

} // namespace

constinit const Format torchtuneFormat{
    .name = "torchtune",
    .mark = "model._component_ with dataset or optimizer._component_",
    .neededKeys = "model._component_ dataset|optimizer._component_",
    .defaultKeys = "model._component_ tokenizer._component_ dataset optimizer._component_ loss._component_ "
                   "gradient_accumulation_steps",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "format.h"
#include "llama_factory_tuning.h"
#include "packing.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/words.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

#include <array>

namespace batchpeak::config {

/// Configs of LLaMA-Factory, in YAML or JSON: the keys of TrainingArguments together with its own, and with
/// other defaults than those of transformers. A text with keys of TrainingArguments is of this format if it
/// has one of LLaMA-Factory's own keys.
///
/// OmegaConf.load reads both as YAML, without resolving interpolations (read_args in LLaMA-Factory 0.9.4,
/// hparams/parser.py), so none is followed here either.
///
/// Keys, their words and their defaults are those of FinetuningArguments and DataArguments in LLaMA-Factory
/// 0.9.4, hparams/finetuning_args.py and data_args.py.
namespace {

constexpr std::string_view typeKey = "finetuning_type";
constexpr std::string_view types = "lora oft freeze full";
constexpr std::string_view stageKey = "stage";
constexpr std::string_view stages = "pt sft rm ppo dpo kto";
constexpr std::string_view lengthKey = "cutoff_len";
// ModelArguments, hparams/model_args.py.
constexpr NameKeys nameKeys{.name = "model_name_or_path", .revision = "model_revision"};

constexpr PlaceKeys placeKeys{.sequenceLength = lengthKey,
                              .precision = "pure_bf16",
                              .precisionSwitches = "fp16 bf16",
                              .tf32 = "tf32",
                              .checkpointing = "disable_gradient_checkpointing",
                              .attention = "flash_attn"};

using enum UnmodeledFeature::When;

// Keys of ModelArguments and FinetuningArguments, and those of Megatron that use_mca and use_megatron_bridge
// read.
constexpr std::array<UnmodeledFeature, 8> unsupportedRuns{
    {{"use_asft_loss",
      "runs a second network beside the one that it trains ({})",
      On,
      {},
      {},
      reason::secondNetwork},
     {"use_kt", "computes experts on the host ({})"},
     {"tensor_model_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"pipeline_model_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"context_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"expert_model_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"hyper_parallel_cp_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"sequence_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices}}};

/// With only packing, texts attend to those before them in the sample, as one long text does
/// (preprocess_supervised_dataset and its collators, src/llamafactory/data).
constexpr std::string_view packingKey = "neat_packing";

constexpr std::array<UnmodeledFeature, 13> differences{
    {{.key = "use_galore",
      .text = "{} makes GaLore the optimizer; trials run AdamW, which takes more memory.",
      .approximation = approximation::otherOptimizer},
     {.key = "use_apollo",
      .text = "{} makes APOLLO the optimizer; trials run AdamW, which takes more memory.",
      .approximation = approximation::otherOptimizer},
     {.key = "use_badam",
      .text =
          "{} makes BAdam the optimizer, which trains a part of the network at a time; trials run AdamW on "
          "all of it, which takes more memory.",
      .approximation = approximation::otherOptimizer},
     {.key = "use_adam_mini",
      .text = "{} makes Adam-mini the optimizer; trials run AdamW, which takes more memory.",
      .approximation = approximation::otherOptimizer},
     {.key = "use_muon",
      .text = "{} makes Muon the optimizer; trials run AdamW, whose steps and memory may cost more or less.",
      .approximation = approximation::otherOptimizer},
     {.key = "mixture_of_depths",
      .text =
          "{} lets texts pass by layers (mixture of depths); trials run every layer on all of a text, which "
          "takes longer.",
      .approximation = approximation::droppedLayers},
     {.key = "shift_attn",
      .text =
          "{} attends within groups of tokens (LongLoRA); trials attend to all before, which takes longer.",
      .approximation = approximation::sparseAttention},
     {.key = "use_unsloth",
      .text = "{} runs kernels of Unsloth; trials run PyTorch's own, which take longer and more memory.",
      .approximation = approximation::otherKernels},
     // Keys for Megatron, which environment variables turn on (use_mca, use_megatron_bridge).
     {.key = "tensor_model_parallel_size",
      .text = "{} is for Megatron, whose kernels trials do not run.",
      .when = There,
      .approximation = approximation::megatron},
     // prepare_model_for_training in model/model_utils/checkpointing.py converts their weights.
     {.key = "upcast_layernorm",
      .text = "{} keeps normalizations in fp32; trials have them as the rest, which takes less memory.",
      .approximation = approximation::fp32Norms},
     {.key = "use_eaft_loss", .text = weighedTokensText, .approximation = approximation::otherLoss},
     {.key = "use_unsloth_gc", .text = hostActivationsText, .approximation = approximation::hostActivations},
     {.key = "enable_liger_kernel", .text = ligerText, .approximation = approximation::otherKernels}}};

/// Whether the key has one of the words. It never throws, since formats are recognized by it.
bool holdsOneOf(const ConfigSection& root, std::string_view key, std::string_view words)
{
    const YamlNode* value = root.value(key);
    return value && isAmong(value->value, words);
}

std::string readWord(const ConfigSection& root, std::string_view key, std::string_view words,
                     std::string_view otherwise)
{
    std::string word = root.text(key).value_or(std::string(otherwise));
    if (!isAmong(word, words))
        root.fail(key, "is \"{}\", which is none of {}", word, listed(splitWords(words)));
    return word;
}

/// Keys of files for inference and export, which share the other keys.
constexpr std::string_view otherPurposes = "infer_backend export_dir";

void refuseOtherPurpose(const ConfigSection& root)
{
    if (root.boolean("do_train").value_or(false))
        return;
    for (std::string_view key : splitWords(otherPurposes)) {
        if (root.isOn(key))
            refuseRun(root.positionOf(key), sentence("trains nothing ({})", key), reason::noTraining);
    }
}

/// Returns the method of a stage, as the trainers compute it: CustomDPOTrainer in train/dpo/trainer.py,
/// CustomKTOTrainer in train/kto/trainer.py, and PairwiseTrainer in train/rm/trainer.py, around a network
/// with a value head. In PPO the network writes texts.
model::Preference preferenceOf(const ConfigSection& root, const std::string& stage)
{
    using enum model::Preference;
    if (stage == "dpo")
        return methodOnPairs(root);
    return stage == "kto" ? Kto : stage == "rm" ? ValueHead : None;
}

void readStage(const ConfigSection& root, ConfigContents& contents)
{
    const std::string stage = readWord(root, stageKey, stages, "sft");
    if (stage == "sft" || stage == "pt")
        return;
    const model::Preference preference = preferenceOf(root, stage);
    const std::string does =
        onPreferences(preference, stageKey)
            .value_or(sentence("trains in the {} {}, with other networks or several texts for each sample",
                               stageKey, stage));
    if (preference == model::Preference::None)
        refuseRun(root.positionOf(stageKey), does, reason::preferences);
    noteRunOnPreferences(root.positionOf(stageKey), does, preference, contents);
    if (preference == model::Preference::ValueHead)
        return;
    warnOfApproximation(contents.warnings, root.positionOf(stageKey), approximation::otherLoss,
                        "LLaMA-Factory's trainer computes the chances of texts by itself, from all logits; "
                        "trials compute them by trl, which may take another time and other memory.");
}

/// Returns the precision with adapters but without mixed precision: each part computes in its own type, and
/// PEFT casts to and from the type of adapters (Linear.forward in PEFT 0.18, peft/tuners/lora/layer.py).
/// Modules that are trained in full are fp32 too; with pure_bf16 they are copies in the type of the file. No
/// product takes two types.
model::Precision readUncastAdapters(const ConfigSection& root, model::Precision wide,
                                    ConfigContents& contents)
{
    const bool hasCopies = root.boolean("pure_bf16").value_or(false) && trainsWholeModules(root);
    if (hasCopies || root.has("quantization_bit") || model::isQuantized(contents.tuning.frozenWeights)) {
        warnOfFp32Adapters(root.positionOf(typeKey), "neither bf16 nor fp16 is on", contents.warnings);
        return model::Precision::Bf16;
    }
    warnOfTypeOfFile(root.positionOf(nameKeys.name),
                     trainsWholeModules(root) ? "fp32, since modules that are trained whole want no other"
                                              : asMostFiles,
                     contents);
    return wide;
}

/// Returns the precision. Weights are loaded in the type of their file (load_model in model/loader.py), and
/// init_adapter in model/adapter.py converts trained parameters to fp32, except with pure_bf16; adapters are
/// fp32 even then (cast_adapter_dtype in PEFT 0.18). Only bf16 and fp16 make the Trainer cast in layers.
model::Precision readPrecision(const ConfigSection& root, std::string_view type, ConfigContents& contents)
{
    const model::Precision mixed = readMixedPrecision(root, false);
    if (type == "lora" || type == "oft")
        return model::isMixed(mixed) ? mixed : readUncastAdapters(root, mixed, contents);
    if (root.boolean("pure_bf16").value_or(false))
        return model::Precision::PlainBf16;
    // fp32 layers are mixed with layers in the type of the file, and a product of two types is refused.
    if (type == "freeze" && !model::isMixed(mixed)) {
        warnOfTypeOfFile(root.positionOf(nameKeys.name), "fp32, since what is trained wants no other",
                         contents);
    }
    return mixed;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    return root && (root->find(lengthKey) || holdsOneOf(*root, typeKey, types) ||
                    holdsOneOf(*root, stageKey, stages) ||
                    (root->find("template") && hasOneOf(*root, otherPurposes)));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    ConfigContents contents;
    readTrainingArguments(root, contents);
    warnOf(root, differences, contents.warnings);
    if (root.isOn(packingKey))
        packTexts(root.positionOf(packingKey), packingKey, contents);
    const std::string type = readWord(root, typeKey, types, "lora");
    contents.model = networkOrError([&] {
        refuseOtherPurpose(root);
        readStage(root, contents);
        refuseOtherRun(root, unsupportedRuns);
        refuseSharedCuts(root);
        contents.tuningFor = readLlamaFactoryTuning(root, type, contents.warnings);
        return readNamedModel(root, nameKeys, text.networks(), contents);
    });
    resolveTuning(contents);
    contents.sequenceLength = readLength(root, lengthKey).value_or(2048);
    resolveLengths(contents);
    const bool isPure = root.boolean("pure_bf16").value_or(false);
    const model::Precision mixed = readMixedPrecision(root, false);
    if (isPure || !resolveSharedPrecision(root, /*takesConfigAlone=*/false, mixed, contents))
        contents.precision = readPrecision(root, type, contents);
    if (root.isOn("enable_liger_kernel"))
        takeLossInChunks(contents, root.positionOf("enable_liger_kernel"));
    if (const auto attention = root.text("flash_attn"))
        contents.step.attention = attentionNamed(*attention);
    // It is on unless this key turns it off, whatever gradient_checkpointing says: prepare_model_for_training
    // in model/model_utils/checkpointing.py.
    const bool isCheckpointed = !root.boolean("disable_gradient_checkpointing").value_or(false);
    contents.step.activationCheckpointing = contents.step.activationCheckpointing || isCheckpointed;
    notePlaces(root, placeKeys, contents);
    resolveAttention(contents);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    return withSizeInTrainingArguments(*text.root(), chosen);
}

} // namespace

constinit const Format llamaFactoryFormat{
    .name = "LLaMA-Factory",
    .mark = "finetuning_type, stage or cutoff_len",
    .neededKeys = "finetuning_type|stage|cutoff_len",
    .defaultKeys = "finetuning_type stage cutoff_len template model_name_or_path per_device_train_batch_size",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

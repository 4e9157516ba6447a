// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "differences.h"
#include "format.h"
#include "run_reader.h"
#include "syntax/words.h"
#include "training_arguments.h"

#include <array>

namespace batchpeak::config {

/// Configs of LLaMA-Factory, in YAML or JSON: TrainingArguments' keys with its own beside them, and other
/// defaults than those of transformers. A text that has TrainingArguments' keys too is of this format where
/// it has one of its own.
///
/// It reads either by OmegaConf.load, that is as YAML, without resolving interpolations (read_args in
/// LLaMA-Factory 0.9.4, hparams/parser.py), so that none is followed here either.
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

constexpr std::array<Difference, 9> differences{
    {{"quantization_bit", quantisedWeights},
     {"packing", packedSamples},
     {"neat_packing", packedSamples},
     {"use_galore", "{} makes GaLore the optimizer; trials run AdamW, which takes more memory."},
     {"use_apollo", "{} makes APOLLO the optimizer; trials run AdamW, which takes more memory."},
     {"use_badam", "{} makes BAdam the optimizer, which trains a part of the network at a time; trials run "
                   "AdamW on all of it, which takes more memory."},
     {"use_adam_mini", "{} makes Adam-mini the optimizer; trials run AdamW, which takes more memory."},
     {"use_muon",
      "{} makes Muon the optimizer; trials run AdamW, whose steps and memory may cost more or less."},
     {"mixture_of_depths", "{} lets texts pass by layers (mixture of depths); trials run every layer on all "
                           "of a text, which takes longer."}}};

/// The key holds one of the words; nothing is thrown, since a format is recognised by it.
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

void requireFullTraining(const ConfigSection& root)
{
    const std::string type = readWord(root, typeKey, types, "lora");
    if (type == "full")
        return;
    if (type == "freeze")
        refusePartialTraining(root.positionOf(typeKey), "some layers (freeze)");
    if (root.has(typeKey))
        refuseAdapter(root.positionOf(typeKey), type);
    refusePartialTraining(root.positionOf(typeKey),
                          sentence("an adapter (LoRA, since {} is absent)", typeKey));
}

void refuseOtherStage(const ConfigSection& root)
{
    const std::string stage = readWord(root, stageKey, stages, "sft");
    if (stage == "sft" || stage == "pt")
        return;
    refuseRun(root.positionOf(stageKey),
              sentence("trains in the {} {}, with other networks or several texts for each sample", stageKey,
                       stage));
}

model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view pureKey = "pure_bf16";
    if (!root.boolean(pureKey).value_or(false))
        return readMixedPrecision(root, false, warnings);
    // init_adapter in model/adapter.py makes parameters fp32 but for this.
    warnOfMissingCopies(root.positionOf(pureKey), warnings);
    return model::Precision::PureBf16;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    return root && (root->find(lengthKey) || holdsOneOf(*root, typeKey, types) ||
                    holdsOneOf(*root, stageKey, stages));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    ConfigContents contents;
    readTrainingArguments(root, contents);
    warnOf(root, differences, contents.warnings);
    contents.model = networkOrWhyNot([&] {
        requireFullTraining(root);
        refuseOtherStage(root);
        return readNamedModel(root, nameKeys, text.networks(), contents);
    });
    contents.sequenceLength = countOr(root, lengthKey, 2048);
    settleLengths(contents);
    contents.precision = readPrecision(root, contents.warnings);
    if (const auto attention = root.text("flash_attn"))
        contents.step.attention = attentionNamed(*attention);
    // It is on unless it is switched off, whatever gradient_checkpointing says: prepare_model_for_training in
    // model/model_utils/checkpointing.py.
    contents.step.activationCheckpointing = !root.boolean("disable_gradient_checkpointing").value_or(false);
    notePlaces(root, placeKeys, contents);
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
    .usualKeys = "finetuning_type stage cutoff_len template model_name_or_path per_device_train_batch_size",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config

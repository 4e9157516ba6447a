// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "llama_factory_format.h"

#include "trainer_run.h"
#include "training_arguments.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

// Fields of FinetuningArguments and DataArguments in LLaMA-Factory 0.9.4, hparams/finetuning_args.py and
// data_args.py, and their legal words.
constexpr std::string_view typeKey = "finetuning_type";
constexpr std::string_view stageKey = "stage";
constexpr std::string_view lengthKey = "cutoff_len";
constexpr std::array<std::string_view, 4> types{"lora", "oft", "freeze", "full"};
constexpr std::array<std::string_view, 6> stages{"pt", "sft", "rm", "ppo", "dpo", "kto"};

bool isOneOf(std::string_view word, std::span<const std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

/// The key holds one of the words; nothing is thrown, since a format is recognised by it.
bool holdsOneOf(const ConfigSection& root, std::string_view key, std::span<const std::string_view> words)
{
    const auto entry = root.find(key);
    return entry && isOneOf(entry->resolvedValue().value, words);
}

std::string readWord(const ConfigSection& root, std::string_view key, std::span<const std::string_view> words,
                     std::string_view otherwise)
{
    const std::string word = root.text(key).value_or(std::string(otherwise));
    if (isOneOf(word, words))
        return word;
    std::string listed;
    for (std::string_view known : words)
        listed += (listed.empty() ? "" : ", ") + std::string(known);
    root.fail(key, "is \"" + word + "\", which is none of " + listed);
}

constexpr std::array<RunDifference, 9> differences{
    {{"quantization_bit", "quantises the weights. Trials hold them whole, which takes more memory."},
     {"packing", "puts several texts into one sample. Trials run each sample as one text of full length."},
     {"neat_packing", "puts several texts into one sample. Trials run each sample as one text of full "
                      "length."},
     {"use_galore", "makes GaLore the optimizer. Trials run AdamW, which takes more memory."},
     {"use_apollo", "makes APOLLO the optimizer. Trials run AdamW, which takes more memory."},
     {"use_badam", "makes BAdam the optimizer, which trains a part of the network at a time. Trials run "
                   "AdamW on all of it, which takes more memory."},
     {"use_adam_mini", "makes Adam-mini the optimizer. Trials run AdamW, which takes more memory."},
     {"use_muon", "makes Muon the optimizer. Trials run AdamW, whose steps and memory may cost more or "
                  "less."},
     {"mixture_of_depths", "lets texts pass by layers (mixture of depths). Trials run every layer on all of "
                           "a text, which takes longer."}}};

} // namespace

LlamaFactoryFormat::LlamaFactoryFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {})
{}

FormatEntry LlamaFactoryFormat::entry()
{
    return {.name = "LLaMA-Factory",
            .mark = "finetuning_type, stage or cutoff_len",
            .usualKeys = {"finetuning_type", "stage", "cutoff_len", "template", "model_name_or_path",
                          "per_device_train_batch_size"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root();
                if (!root || !fits(*root))
                    return nullptr;
                return std::unique_ptr<ConfigFormat>(new LlamaFactoryFormat(text->document()));
            }};
}

bool LlamaFactoryFormat::fits(const ConfigSection& root)
{
    return root.find(lengthKey) || holdsOneOf(root, typeKey, types) || holdsOneOf(root, stageKey, stages);
}

ConfigContents LlamaFactoryFormat::read() const
{
    ConfigContents contents{.formatName = std::string(name())};
    readTrainingArguments(m_root, contents);
    warnOfDifferences(m_root, differences, contents.warnings);
    contents.model = readModel(contents.warnings);
    // DataArguments.cutoff_len in LLaMA-Factory 0.9.4.
    contents.sequenceLength = countOr(m_root, lengthKey, 2048);
    settleLengths(contents);
    contents.precision = readPrecision(contents.warnings);
    // It is on unless it is switched off, whatever gradient_checkpointing says: prepare_model_for_training in
    // LLaMA-Factory 0.9.4, model/model_utils/checkpointing.py.
    contents.step.activationCheckpointing = !m_root.boolean("disable_gradient_checkpointing").value_or(false);
    return contents;
}

SplicedText LlamaFactoryFormat::splice(const ChosenSize& chosen) const
{
    return withSizeInTrainingArguments(m_root, chosen);
}

std::variant<model::ModelSpec, UnsupportedModel>
LlamaFactoryFormat::readModel(std::vector<Warning>& warnings) const
{
    if (auto partial = partialTraining())
        return *partial;
    if (auto other = otherStage())
        return *other;
    return readNamedModel(m_root, "model_name_or_path", warnings);
}

std::optional<UnsupportedModel> LlamaFactoryFormat::partialTraining() const
{
    // FinetuningArguments.finetuning_type in LLaMA-Factory 0.9.4.
    const std::string type = readWord(m_root, typeKey, types, "lora");
    if (type == "full")
        return std::nullopt;
    return UnsupportedModel{
        .sentence = std::string(typeKey) + " is " + type +
                    (m_root.has(typeKey) ? "" : " where it is absent") + ", which trains " +
                    (type == "freeze" ? "some layers of the network" : "an adapter of the network") +
                    ". Trials train all of it, so that they would measure another run.",
        .position = m_root.positionOf(typeKey)};
}

std::optional<UnsupportedModel> LlamaFactoryFormat::otherStage() const
{
    // FinetuningArguments.stage in LLaMA-Factory 0.9.4.
    const std::string stage = readWord(m_root, stageKey, stages, "sft");
    if (stage == "sft" || stage == "pt")
        return std::nullopt;
    return UnsupportedModel{
        .sentence = std::string(stageKey) + " is " + stage +
                    ", whose steps run other networks or several texts for each sample. Trials run the "
                    "network alone on one, so that they would measure another run.",
        .position = m_root.positionOf(stageKey)};
}

model::Precision LlamaFactoryFormat::readPrecision(std::vector<Warning>& warnings) const
{
    constexpr std::string_view pureKey = "pure_bf16";
    if (!m_root.boolean(pureKey).value_or(false))
        return readMixedPrecision(m_root, false, warnings);
    // init_adapter in LLaMA-Factory 0.9.4, model/adapter.py, makes parameters fp32 but for this.
    warnOfMissingCopies(m_root.positionOf(pureKey), warnings);
    return model::Precision::PureBf16;
}

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_training_format.h"

#include "llama_factory_format.h"
#include "syntax/json_text.h"
#include "trainer_run.h"
#include "training_arguments.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

constexpr std::string_view modelKey = "model_name_or_path";

bool hasOneOf(const ConfigSection& root, std::span<const std::string_view> keys)
{
    return std::ranges::any_of(keys, [&](std::string_view key) { return root.find(key).has_value(); });
}

/// JSON has quotation marks around its keys; braces alone are YAML too.
Dialect dialectOf(const YamlDocument& document)
{
    const auto& keys = document.root().children;
    return document.isJson() && !keys.empty() && !keys.front()->plain ? Dialect::Json : Dialect::PyYaml;
}

bool fits(const ConfigSection& root)
{
    constexpr std::array<std::string_view, 4> marks{
        "per_device_train_batch_size", "per_device_eval_batch_size", "num_train_epochs", modelKey};
    return hasOneOf(root, marks) && !LlamaFactoryFormat::fits(root);
}

/// Steps that hold more than a network and its texts.
constexpr std::array<RunDifference, 4> otherSteps{
    {{"use_peft",
      "makes the run train an adapter and leave the network itself as it is. Trials train all of it, so that "
      "they would measure another run."},
     {"beta", "belongs to training on preferences (DPO and its relatives), where a step runs two texts for "
              "each sample and a second network. Trials would measure another run."},
     {"max_prompt_length",
      "belongs to training on preferences (DPO and its relatives), where a step runs two "
      "texts for each sample and a second network. Trials would measure another run."},
     {"num_generations", "belongs to training on texts that the network writes itself (GRPO and its "
                         "relatives). Trials would measure another run."}}};

constexpr std::array<RunDifference, 3> differences{
    {{"load_in_4bit", "quantises the weights. Trials hold them whole, which takes more memory."},
     {"load_in_8bit", "quantises the weights. Trials hold them whole, which takes more memory."},
     {"packing", "puts several texts into one sample. Trials run each sample as one text of full length."}}};

} // namespace

HuggingFaceTrainingFormat::HuggingFaceTrainingFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {}, dialectOf(*m_document))
{}

FormatEntry HuggingFaceTrainingFormat::entry()
{
    return {.name = "Hugging Face TrainingArguments",
            .mark = "per_device_train_batch_size, num_train_epochs or model_name_or_path",
            .usualKeys = {"per_device_train_batch_size", "per_device_eval_batch_size",
                          "gradient_accumulation_steps", "model_name_or_path", "num_train_epochs",
                          "output_dir", "learning_rate", "bf16"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root();
                if (!root || !fits(*root))
                    return nullptr;
                return std::unique_ptr<ConfigFormat>(new HuggingFaceTrainingFormat(text->document()));
            }};
}

ConfigContents HuggingFaceTrainingFormat::read() const
{
    // HfArgumentParser.parse_json_file in transformers 5.23, hf_argparser.py, reads with json.loads.
    if (m_root.dialect() == Dialect::Json)
        requireJson(m_document->text(), JsonComments::Refused);
    ConfigContents contents{.formatName = std::string(name())};
    readTrainingArguments(m_root, contents);
    warnOfDifferences(m_root, differences, contents.warnings);
    readModelInto(contents);
    readLengthsInto(contents);
    readPrecisionInto(contents);
    readCheckpointingInto(contents);
    return contents;
}

SplicedText HuggingFaceTrainingFormat::splice(const ChosenSize& chosen) const
{
    return withSizeInTrainingArguments(m_root, chosen);
}

bool HuggingFaceTrainingFormat::isTrl() const
{
    // Of SFTConfig and ModelConfig in TRL, and of ScriptArguments in alignment-handbook, which is built on
    // it.
    constexpr std::array<std::string_view, 8> keys{
        "max_length",      "max_seq_length", "packing",  "dataset_text_field",
        "dataset_mixture", "dataset_mixer",  "use_peft", "assistant_only_loss"};
    return hasOneOf(m_root, keys);
}

void HuggingFaceTrainingFormat::readModelInto(ConfigContents& contents) const
{
    if (auto other = firstDifference(m_root, otherSteps))
        contents.model = std::move(*other);
    else
        contents.model = readNamedModel(m_root, modelKey, contents.warnings);
}

void HuggingFaceTrainingFormat::readLengthsInto(ConfigContents& contents) const
{
    // max_seq_length is what SFTConfig called it in older releases of TRL; block_size and max_source_length
    // are those of transformers' example scripts.
    constexpr std::array<std::string_view, 4> keys{"max_length", "max_seq_length", "block_size",
                                                   "max_source_length"};
    // SFTConfig.max_length in TRL 1.x, trl/trainer/sft_config.py.
    constexpr std::int64_t usualOfTrl = 1024;
    const auto key = std::ranges::find_if(keys, [&](std::string_view k) { return m_root.has(k); });
    if (key != keys.end())
        contents.sequenceLength = countOr(m_root, *key, 1);
    else if (isTrl() && !m_root.find("max_length"))
        contents.sequenceLength = usualOfTrl;
    if (m_root.has("max_target_length"))
        contents.targetLength = countOr(m_root, "max_target_length", 1);
    settleLengths(contents);
}

void HuggingFaceTrainingFormat::readPrecisionInto(ConfigContents& contents) const
{
    // On where nothing is said: SFTConfig in TRL 1.x; off: TrainingArguments in transformers 5.23.
    contents.precision = readMixedPrecision(m_root, isTrl(), contents.warnings);
    if (!m_root.has("bf16") && !m_root.has("fp16"))
        warnOfTrlDefault("bf16", contents);
    // dtype is what torch_dtype is called since transformers 4.56.
    const std::string_view key = m_root.has("dtype") ? "dtype" : "torch_dtype";
    const auto type = m_root.text(key);
    if (type == "bfloat16") {
        contents.precision = model::Precision::PureBf16;
        warnOfMissingCopies(m_root.positionOf(key), contents.warnings);
    } else if (type == "float16") {
        warnOfFloat16(m_root.positionOf(key), contents.warnings);
        contents.precision = model::Precision::PureBf16;
    }
}

void HuggingFaceTrainingFormat::readCheckpointingInto(ConfigContents& contents) const
{
    // The older name counts where the newer is absent: TrainingArguments.__post_init__ in transformers 5.23,
    // where it is off if nothing is said. TRL has it on (SFTConfig in TRL 1.x; pull request 3510).
    const std::string_view key =
        m_root.has("activation_checkpointing") ? "activation_checkpointing" : "gradient_checkpointing";
    const auto isOn = m_root.boolean(key);
    contents.step.activationCheckpointing = isOn.value_or(isTrl());
    if (!isOn)
        warnOfTrlDefault("gradient_checkpointing", contents);
}

void HuggingFaceTrainingFormat::warnOfTrlDefault(std::string_view key, ConfigContents& contents) const
{
    if (!isTrl())
        return;
    contents.warnings.push_back({"The config does not say " + std::string(key) +
                                     ", which is taken for True, as in TRL since August 2025; write it, so "
                                     "that the run does not hang on a release.",
                                 m_root.positionOf(key)});
}

} // namespace batchpeak::config

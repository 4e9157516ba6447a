// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_config_format.h"

#include "networks/hugging_face_model.h"
#include "syntax/json_text.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

// The arguments of a training as JSON may hold a model_type too (ModelArguments of run_clm.py in
// transformers 5.23.0, examples/pytorch/language-modeling), but they say what is trained and to where.
constexpr std::array<std::string_view, 4> keysOfTrainings{"model_name_or_path", "base_model", "output_dir",
                                                          "per_device_train_batch_size"};

bool isConfigJson(const YamlDocument& document)
{
    const auto root = ConfigSection::root(document, Dialect::Json);
    if (!root || !document.isJson())
        return false;
    const auto type = root->find("model_type");
    return type && type->resolvedValue().kind == NodeKind::Scalar && !type->resolvedValue().plain &&
           std::ranges::none_of(keysOfTrainings, [&root](std::string_view key) { return root->has(key); });
}

} // namespace

HuggingFaceConfigFormat::HuggingFaceConfigFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {}, Dialect::Json)
{}

FormatEntry HuggingFaceConfigFormat::entry()
{
    return {.name = "Hugging Face config.json",
            .mark = "model_type in JSON",
            .usualKeys = {"architectures", "hidden_size", "num_hidden_layers", "vocab_size",
                          "transformers_version"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                if (!text->document() || !isConfigJson(*text->document()))
                    return nullptr;
                return std::unique_ptr<ConfigFormat>(new HuggingFaceConfigFormat(text->document()));
            }};
}

ConfigContents HuggingFaceConfigFormat::read() const
{
    // transformers reads it with json.load (configuration_utils.py, _dict_from_json_file).
    requireJson(m_document->text(), JsonComments::Refused);
    ConfigContents contents{.formatName = std::string(name())};
    contents.model = readHuggingFaceModel(m_root, contents.warnings);
    if (const auto* spec = std::get_if<model::ModelSpec>(&contents.model)) {
        contents.sequenceLength = model::usualSequenceLength(*spec);
        contents.targetLength = model::usualTargetLength(*spec);
    }
    return contents;
}

SplicedText HuggingFaceConfigFormat::splice(const ChosenSize&) const
{
    throw ConfigError(
        "A config.json describes a network alone and has no place for a micro-batch size; open the "
        "config of the trainer, with this file as its model (--model FILE).");
}

} // namespace batchpeak::config

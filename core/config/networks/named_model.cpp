// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "named_model.h"

#include "hub_models.h"
#include "hugging_face_model.h"
#include "run_reader.h"
#include "syntax/entry_change.h"
#include "syntax/yaml_scalar.h"

#include <array>
#include <utility>

namespace batchpeak::config {

namespace {

/// As JSON writes it; nothing for a list or a mapping.
std::optional<std::string> asJson(const ConfigSection& section, std::string_view key)
{
    const YamlNode& value = section.find(key)->resolvedValue();
    if (value.kind != NodeKind::Scalar)
        return std::nullopt;
    if (isNull(value))
        return "null";
    if (const auto boolean = asBoolean(value))
        return *boolean ? "true" : "false";
    const IntegerReading integer = asInteger(value);
    if (integer.problem == IntegerProblem::None)
        return std::to_string(integer.value);
    if (asNumber(value))
        return value.value;
    const std::string text = *section.text(key);
    const bool isPlainWord = text.find_first_of("\"\\\n\r\t") == std::string::npos;
    return isPlainWord ? std::optional("\"" + text + "\"") : std::nullopt;
}

/// The key under which a config.json has what an override names. GPT-2 has two names for some values
/// (attribute_map of GPT2Config in transformers 5.23.0, models/gpt2/configuration_gpt2.py).
std::string nameIn(const ConfigSection& config, std::string_view key)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
        {{"hidden_size", "n_embd"},
         {"num_hidden_layers", "n_layer"},
         {"num_attention_heads", "n_head"},
         {"max_position_embeddings", "n_positions"}}};
    for (const auto& [other, own] : names) {
        if (key == other && config.find(own))
            return std::string(own);
    }
    return std::string(key);
}

std::string withOverrides(const std::string& config, const ConfigSection& overrides)
{
    const YamlDocument document(config);
    std::vector<EntryChange> changes;
    for (std::string_view key : overrides.keys()) {
        if (const auto value = asJson(overrides, key))
            changes.push_back(
                {.key = nameIn(*ConfigSection::root(document, Dialect::Json), key), .value = *value});
    }
    return withEntries(document, Dialect::Json, changes).text;
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> namedModel(const std::string& id, TextPosition position,
                                                            std::vector<Warning>& warnings,
                                                            const std::optional<ConfigSection>& overrides)
{
    const auto match = findHubModel(id);
    if (!match)
        return modelFromElsewhere("The network is named \"" + id +
                                      "\", which is not among the well-known ones; give its config.json as "
                                      "the model (--model FILE).",
                                  position);
    if (match->isByName) {
        warnings.push_back(
            {"The network \"" + id + "\" is taken for " + std::string(match->model->ids.front()) +
                 ", which has the same name; if it is another, give its config.json as the model "
                 "(--model FILE).",
             position});
    }
    const YamlDocument document{overrides ? withOverrides(match->model->config, *overrides)
                                          : match->model->config};
    std::vector<Warning> ofNetwork;
    try {
        auto network = readHuggingFaceModel(*ConfigSection::root(document, Dialect::Json), ofNetwork);
        if (auto* unsupported = std::get_if<UnsupportedModel>(&network))
            unsupported->position = position;
        for (Warning& warning : ofNetwork)
            warnings.push_back({std::move(warning.sentence), position});
        return network;
    } catch (const ConfigError& error) {
        throw ConfigError(error.what(), position);
    }
}

} // namespace batchpeak::config

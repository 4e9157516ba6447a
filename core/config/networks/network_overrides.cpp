// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_overrides.h"

#include "syntax/entry_change.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"

#include <optional>
#include <vector>

namespace batchpeak::config {

namespace {

/// Returns the value in JSON syntax; nothing for a list or a mapping.
std::optional<std::string> asJson(const ConfigSection& section, std::string_view key)
{
    const YamlNode& value = *section.find(key)->target;
    if (value.kind != NodeKind::Scalar)
        return std::nullopt;
    if (isNull(value))
        return "null";
    if (const auto boolean = asBoolean(value))
        return *boolean ? "true" : "false";
    if (const auto integer = asInteger(value))
        return std::to_string(*integer);
    if (asNumber(value))
        return value.value;
    const std::string text = *section.text(key);
    const bool isPlainWord = text.find_first_of("\"\\\n\r\t") == std::string::npos;
    return isPlainWord ? std::optional("\"" + text + "\"") : std::nullopt;
}

/// Returns the key of a config.json for the key of an override. GPT-2 has two names for some values
/// (attribute_map of GPT2Config in transformers 5.23.0, models/gpt2/configuration_gpt2.py).
std::string nameIn(const ConfigSection& config, std::string_view key)
{
    constexpr WordMap<std::string_view, 4> names{{{"hidden_size", "n_embd"},
                                                  {"num_hidden_layers", "n_layer"},
                                                  {"num_attention_heads", "n_head"},
                                                  {"max_position_embeddings", "n_positions"}}};
    const auto own = meaningOf(names, key);
    return std::string(own && config.find(*own) ? *own : key);
}

} // namespace

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

} // namespace batchpeak::config

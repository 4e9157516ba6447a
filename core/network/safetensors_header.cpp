// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "safetensors_header.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace batchpeak::network {

namespace {

using Json = nlohmann::json;

constexpr const char* metadataKey = "__metadata__";
constexpr std::size_t headerAlignment = 8;

[[noreturn]] void refuse(const std::string& problem)
{
    throw std::invalid_argument(problem);
}

const Json& field(const Json& object, const std::string& tensor, const char* key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end())
        refuse("does not say the " + std::string(key) + " of " + tensor);
    return *found;
}

std::vector<std::int64_t> integers(const Json& array, const std::string& tensor, const char* key)
{
    const auto isCount = [](const Json& value) {
        return value.is_number_unsigned() &&
               value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
    };
    if (!array.is_array() || !std::ranges::all_of(array, isCount))
        refuse("does not say the " + std::string(key) + " of " + tensor + " in whole numbers");
    return array.get<std::vector<std::int64_t>>();
}

SafetensorsHeader::Entry entryFrom(const Json& object, const std::string& tensor, std::int64_t dataBytes)
{
    const Json& type = field(object, tensor, "dtype");
    if (!type.is_string())
        refuse("does not say the dtype of " + tensor);
    const auto offsets = integers(field(object, tensor, "data_offsets"), tensor, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1])
        refuse("does not say where " + tensor + " begins and ends");
    if (offsets[1] > dataBytes)
        refuse("was cut short: it ends within " + tensor);
    return {.type = type.get<std::string>(),
            .shape = integers(field(object, tensor, "shape"), tensor, "shape"),
            .begin = offsets[0],
            .end = offsets[1]};
}

std::map<std::string, std::string> metadataFrom(const Json& object)
{
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : object.items()) {
        if (!value.is_string())
            refuse("has metadata that are no texts");
        metadata[key] = value.get<std::string>();
    }
    return metadata;
}

} // namespace

std::string toText(const SafetensorsHeader& header)
{
    Json object = Json::object();
    if (!header.metadata.empty())
        object[metadataKey] = header.metadata;
    for (const auto& [name, entry] : header.tensors) {
        object[name] = {
            {"dtype", entry.type}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
    }
    std::string text = object.dump();
    text.resize((text.size() + headerAlignment - 1) / headerAlignment * headerAlignment, ' ');
    return text;
}

SafetensorsHeader safetensorsHeaderFrom(std::string_view text, std::int64_t dataBytes)
{
    const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object())
        refuse("has a header that is no JSON object");
    SafetensorsHeader header;
    std::int64_t end = 0;
    for (const auto& [name, value] : object.items()) {
        if (name == metadataKey) {
            header.metadata = metadataFrom(value);
            continue;
        }
        const SafetensorsHeader::Entry entry = entryFrom(value, name, dataBytes);
        end = std::max(end, entry.end);
        header.tensors.emplace(name, entry);
    }
    if (end != dataBytes)
        refuse("has bytes behind its last tensor");
    return header;
}

} // namespace batchpeak::network

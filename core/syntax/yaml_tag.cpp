// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_tag.h"

#include "words.h"
#include "yaml_scalar.h"

namespace batchpeak::config {

namespace {

// Prefix that "!!" stands for: YAML 1.1, section 5.3.
constexpr std::string_view yamlPrefix = "tag:yaml.org,2002:";

constexpr WordMap<TagKind, 7> kinds{{{"null", TagKind::Null},
                                     {"bool", TagKind::Boolean},
                                     {"int", TagKind::Integer},
                                     {"float", TagKind::Float},
                                     {"str", TagKind::Text},
                                     {"seq", TagKind::List},
                                     {"map", TagKind::Mapping}}};

} // namespace

TagKind tagKind(const YamlNode& node)
{
    const std::string_view tag = node.tag;
    if (tag.empty())
        return TagKind::None;
    if (!tag.starts_with(yamlPrefix))
        return TagKind::Other;
    return meaningOf(kinds, tag.substr(yamlPrefix.size())).value_or(TagKind::Other);
}

bool hasReadableTag(const YamlNode& node)
{
    const bool isScalar = node.kind == NodeKind::Scalar;
    switch (tagKind(node)) {
    case TagKind::None:
        return true;
    case TagKind::Null:
    case TagKind::Text:
        return isScalar;
    case TagKind::Boolean:
        return asBoolean(node).has_value();
    case TagKind::Integer:
        return asInteger(node) || isTooLarge(node);
    case TagKind::Float:
        return asNumber(node).has_value();
    case TagKind::List:
        return node.kind == NodeKind::Sequence;
    case TagKind::Mapping:
        return node.kind == NodeKind::Mapping;
    case TagKind::Other:
        break;
    }
    return false;
}

bool isNamed(const YamlNode& key)
{
    const TagKind tag = tagKind(key);
    const bool isMerge = key.value == "<<" && tagText(key) == "!!merge";
    return key.kind == NodeKind::Scalar && (tag == TagKind::None || tag == TagKind::Text || isMerge);
}

bool isKey(const YamlNode& node, std::string_view key)
{
    return isNamed(resolved(node)) && resolved(node).value == key;
}

std::string tagText(const YamlNode& node)
{
    const std::string_view tag = node.tag;
    return tag.starts_with(yamlPrefix) ? "!!" + std::string(tag.substr(yamlPrefix.size())) : node.tag;
}

} // namespace batchpeak::config

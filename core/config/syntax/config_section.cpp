// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_section.h"

#include "interpolation.h"
#include "words.h"

#include <algorithm>
#include <unordered_set>

namespace batchpeak::config {

namespace {

constexpr std::string_view mergeKey = "<<";
// Real configs merge one or two.
constexpr std::size_t maxMerged = 1000;

bool isKey(const YamlNode& node, std::string_view key)
{
    return resolved(node).kind == NodeKind::Scalar && resolved(node).value == key;
}

std::optional<ConfigEntry> findOwn(const YamlDocument& document, const YamlNode& mapping,
                                   std::string_view key)
{
    std::optional<ConfigEntry> found;
    for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
        if (!isKey(*mapping.children[i], key))
            continue;
        if (found) {
            throw ConfigError("The key \"" + std::string(key) +
                                  "\" stands twice in this mapping, first in line " +
                                  std::to_string(document.positionOf(*found->key).line) +
                                  "; remove one, since programs differ in which of the two they take.",
                              document.positionOf(*mapping.children[i]));
        }
        const YamlNode* value = mapping.children[i + 1];
        found = ConfigEntry{.key = mapping.children[i], .value = value, .target = &resolved(*value)};
    }
    return found;
}

/// Mappings that a mapping merges in, the last first.
std::vector<const YamlNode*> mergedBackwards(const YamlDocument& document, const YamlNode& mapping)
{
    const auto merge = findOwn(document, mapping, mergeKey);
    if (!merge)
        return {};
    const YamlNode& source = merge->resolvedValue();
    std::vector<const YamlNode*> merged{&source};
    if (source.kind == NodeKind::Sequence)
        merged.assign(source.children.rbegin(), source.children.rend());
    for (const YamlNode*& node : merged)
        node = &resolved(*node);
    std::erase_if(merged, [](const YamlNode* node) { return node->kind != NodeKind::Mapping; });
    return merged;
}

/// Not by recursion: a text may merge mapping after mapping, the same ones over and over.
std::optional<ConfigEntry> findIn(const YamlDocument& document, const YamlNode& mapping, std::string_view key)
{
    std::unordered_set<const YamlNode*> visited;
    std::vector<const YamlNode*> pending{&mapping};
    while (!pending.empty()) {
        const YamlNode& next = *pending.back();
        pending.pop_back();
        if (!visited.insert(&next).second)
            continue;
        if (visited.size() > maxMerged) {
            throw ConfigError("This mapping merges more than " + std::to_string(maxMerged) +
                                  " others in, which no config does; open the config itself.",
                              document.positionOf(mapping));
        }
        if (auto found = findOwn(document, next, key)) {
            found->merged = &next != &mapping;
            return found;
        }
        const auto merged = mergedBackwards(document, next);
        pending.insert(pending.end(), merged.begin(), merged.end());
    }
    return std::nullopt;
}

} // namespace

ConfigSection::ConfigSection(const YamlDocument& document, const YamlNode& mapping, std::string path,
                             Dialect dialect)
    : m_document(&document), m_mapping(&mapping), m_path(std::move(path)), m_dialect(dialect)
{}

std::optional<ConfigSection> ConfigSection::root(const YamlDocument& document, Dialect dialect)
{
    if (document.root().kind != NodeKind::Mapping)
        return std::nullopt;
    return ConfigSection(document, document.root(), {}, dialect);
}

std::string ConfigSection::pathOf(std::string_view key) const
{
    return (m_path.empty() ? std::string() : m_path + ".") + std::string(key);
}

TextPosition ConfigSection::positionOf(std::string_view key) const
{
    const auto entry = find(key);
    if (!entry)
        return m_document->positionOf(*m_mapping);
    // Nothing to point at: the key stands for its empty value.
    return m_document->positionOf(entry->value->empty ? *entry->key : *entry->value);
}

std::optional<ConfigEntry> ConfigSection::find(std::string_view key) const
{
    auto entry = findIn(*m_document, *m_mapping, key);
    if (entry)
        entry->target = &targetOf(*entry->value, *m_mapping);
    return entry;
}

const YamlNode& ConfigSection::targetOf(const YamlNode& value, const YamlNode& container) const
{
    const YamlNode* target =
        m_dialect == Dialect::OmegaConf ? interpolationTarget(*m_document, value, container) : nullptr;
    return target ? *target : resolved(value);
}

bool ConfigSection::has(std::string_view key) const
{
    const auto entry = find(key);
    return entry && !isNull(entry->resolvedValue());
}

bool ConfigSection::hasSection(std::string_view key) const
{
    const auto entry = find(key);
    return entry && entry->resolvedValue().kind == NodeKind::Mapping;
}

bool ConfigSection::isOn(std::string_view key) const
{
    if (!has(key))
        return false;
    const YamlNode& value = find(key)->resolvedValue();
    if (value.kind != NodeKind::Scalar)
        return !value.children.empty();
    if (const auto boolean = asBoolean(value))
        return *boolean;
    return !value.value.empty() && asNumber(value) != 0.0;
}

std::vector<std::string_view> ConfigSection::keys() const
{
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i + 1 < m_mapping->children.size(); i += 2)
        keys.push_back(resolved(*m_mapping->children[i]).value);
    return keys;
}

std::optional<ConfigSection> ConfigSection::section(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& value = find(key)->resolvedValue();
    if (value.kind != NodeKind::Mapping)
        fail(key, "must be a mapping of keys to values, but is " + described(value));
    return ConfigSection(*m_document, value, pathOf(key), m_dialect);
}

std::optional<ConfigSection> ConfigSection::sectionIfAny(std::string_view key) const
{
    return hasSection(key) ? section(key) : std::nullopt;
}

std::optional<ConfigSection> ConfigSection::sectionAt(std::string_view path) const
{
    std::optional<ConfigSection> there = *this;
    while (there && !path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        there = there->section(path.substr(0, dot));
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return there;
}

std::optional<std::int64_t> ConfigSection::integer(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& value = find(key)->resolvedValue();
    const IntegerReading reading = asInteger(value);
    if (reading.problem == IntegerProblem::TooLarge)
        fail(key, "is " + described(value) + ", which is too large for any computer; write the number meant");
    if (reading.problem != IntegerProblem::None)
        fail(key, "must be a whole number, but is " + described(value));
    return reading.value;
}

std::optional<std::vector<std::int64_t>> ConfigSection::integers(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& value = find(key)->resolvedValue();
    if (value.kind != NodeKind::Sequence)
        fail(key, "must be a list of whole numbers, but is " + described(value));
    std::vector<std::int64_t> integers;
    for (const YamlNode* item : value.children) {
        const IntegerReading reading = asInteger(targetOf(*item, value));
        if (reading.problem != IntegerProblem::None)
            fail(key, "must be a list of whole numbers, but holds " + described(*item));
        integers.push_back(reading.value);
    }
    return integers;
}

std::optional<std::vector<std::string>> ConfigSection::words(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& list = find(key)->resolvedValue();
    if (list.kind != NodeKind::Sequence)
        fail(key, "must be a list of words, but is " + described(list));
    std::vector<std::string> words;
    for (const YamlNode* item : list.children) {
        if (resolved(*item).kind != NodeKind::Scalar)
            fail(key, "must be a list of words, but holds " + described(*item));
        words.push_back(resolved(*item).value);
    }
    return words;
}

std::optional<double> ConfigSection::number(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& value = find(key)->resolvedValue();
    const auto number = asNumber(value);
    if (!number)
        fail(key, "must be a number, but is " + described(value));
    return number;
}

std::optional<bool> ConfigSection::boolean(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& value = find(key)->resolvedValue();
    const auto boolean = asBoolean(value);
    if (!boolean)
        fail(key, "must be True or False, but is " + described(value));
    return boolean;
}

std::optional<std::string> ConfigSection::text(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    const YamlNode& value = find(key)->resolvedValue();
    if (value.kind != NodeKind::Scalar)
        fail(key, "must be a word, but is " + described(value));
    if (m_dialect != Dialect::OmegaConf || value.value.find("${") == std::string::npos)
        return value.value;
    const auto text = interpolatedText(*m_document, *find(key)->value, *m_mapping);
    if (!text)
        fail(key, "must be a word, but is " + described(value));
    return text;
}

std::vector<ConfigSection> ConfigSection::sections(std::string_view key) const
{
    if (!has(key))
        return {};
    const YamlNode& value = find(key)->resolvedValue();
    if (value.kind != NodeKind::Sequence)
        fail(key, "must be a list of mappings, but is " + described(value));
    std::vector<ConfigSection> sections;
    for (const YamlNode* item : value.children) {
        const std::string path = pathOf(key) + "[" + std::to_string(sections.size()) + "]";
        const YamlNode& target = targetOf(*item, value);
        if (target.kind != NodeKind::Mapping)
            fail(key, "must be a list of mappings, but holds " + described(target));
        sections.emplace_back(*m_document, target, path, m_dialect);
    }
    return sections;
}

std::string described(const YamlNode& node)
{
    switch (node.kind) {
    case NodeKind::Sequence:
        return "a list";
    case NodeKind::Mapping:
        return "a mapping";
    case NodeKind::Alias:
        return described(*node.target);
    case NodeKind::Scalar:
        break;
    }
    if (node.empty)
        return "empty";
    if (isInterpolated(node))
        return "\"" + node.value + "\", for which this text has no value (write the value here)";
    // What looks like a number is text to a program if it is quoted.
    const std::string kind = node.plain ? "" : "the text ";
    return kind + "\"" + shortened(node.value) + "\"";
}

void refuseOtherKeys(const ConfigSection& section, const std::vector<std::string>& known)
{
    for (std::string_view key : section.keys()) {
        if (key == "<<" || std::ranges::find(known, key) != known.end())
            continue;
        std::string words;
        for (const std::string& word : known)
            words += (words.empty() ? "" : ", ") + word;
        throw ConfigError("The key " + section.pathOf(key) +
                              " has no meaning there; correct or remove it. The keys are " + words + ".",
                          section.positionOf(key));
    }
}

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_section.h"

#include "interpolation.h"
#include "words.h"
#include "yaml_tag.h"

#include <algorithm>
#include <unordered_set>

namespace batchpeak::config {

namespace {

constexpr std::string_view mergeKey = "<<";
// Real configs merge one or two mappings.
constexpr std::size_t maxMerged = 1000;

[[noreturn]] void refuseTag(const YamlDocument& document, const YamlNode& node, const std::string& path)
{
    throw UnreadableTag(
        sentence("The value of {} is {}, of which PyYAML's SafeLoader makes no value that a config has; "
                 "correct or remove the tag.",
                 path, described(node)),
        document.positionOf(node));
}

std::optional<ConfigEntry> findOwn(const YamlDocument& document, const YamlNode& mapping,
                                   std::string_view key)
{
    std::optional<ConfigEntry> found;
    for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
        if (!isKey(*mapping.children[i], key))
            continue;
        if (found) {
            throw errorAt(document.positionOf(*mapping.children[i]),
                          "The key \"{}\" stands twice in this mapping, first in line {}; remove one, since "
                          "programs differ in which of the two they take.",
                          key, document.positionOf(*found->key).line);
        }
        const YamlNode* value = mapping.children[i + 1];
        found = ConfigEntry{.key = mapping.children[i], .value = value, .target = &resolved(*value)};
    }
    return found;
}

/// Returns the mappings that a mapping merges in, in reverse order.
std::vector<const YamlNode*> mergedBackwards(const YamlDocument& document, const YamlNode& mapping)
{
    const auto merge = findOwn(document, mapping, mergeKey);
    if (!merge)
        return {};
    const YamlNode& source = *merge->target;
    std::vector<const YamlNode*> merged{&source};
    if (source.kind == NodeKind::Sequence)
        merged.assign(source.children.rbegin(), source.children.rend());
    for (const YamlNode*& node : merged)
        node = &resolved(*node);
    std::erase_if(merged, [](const YamlNode* node) { return node->kind != NodeKind::Mapping; });
    return merged;
}

/// Finds an entry in a mapping or in those that it merges. Not recursive: a text may merge a long chain of
/// mappings, and the same ones repeatedly.
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
            throw errorAt(
                document.positionOf(mapping),
                "This mapping merges more than {} others in, which no config does; open the config itself.",
                maxMerged);
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
                             Dialect dialect, const OtherFile* others)
    : m_document(&document),
      m_mapping(&mapping),
      m_path(std::move(path)),
      m_dialect(dialect),
      m_others(others)
{}

std::optional<ConfigSection> ConfigSection::root(const YamlDocument& document, Dialect dialect,
                                                 const OtherFile* others)
{
    if (document.root().kind != NodeKind::Mapping)
        return std::nullopt;
    if (!hasReadableTag(document.root()))
        refuseTag(document, document.root(), "the config");
    return ConfigSection(document, document.root(), {}, dialect, others);
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
    // An empty value has no text to point at, so the key's position is used.
    return m_document->positionOf(entry->value->empty ? *entry->key : *entry->value);
}

std::optional<std::pair<ConfigSection, std::string_view>> ConfigSection::holderOf(std::string_view path) const
{
    // A key may contain dots itself.
    if (find(path))
        return std::pair(*this, path);
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    return sectionIfAny(path.substr(0, dot)).holderOf(path.substr(dot + 1));
}

std::optional<SourceLocation> ConfigSection::placeOf(std::string_view path) const
{
    const auto holder = holderOf(path);
    return holder && holder->first.has(holder->second) ? writtenPlaceOf(path) : std::nullopt;
}

std::optional<SourceLocation> ConfigSection::writtenPlaceOf(std::string_view path) const
{
    const auto holder = holderOf(path);
    if (!holder)
        return std::nullopt;
    const auto& [section, key] = *holder;
    const auto entry = section.find(key);
    const bool isText = entry->target->kind == NodeKind::Scalar && !entry->target->empty;
    return SourceLocation{.key = section.pathOf(key),
                          .position = m_document->positionOf(isText ? *entry->target : *entry->key)};
}

std::optional<ConfigEntry> ConfigSection::find(std::string_view key) const
{
    auto entry = findIn(*m_document, *m_mapping, key);
    if (!entry)
        return entry;
    entry->target = &targetOf(*entry->value, *m_mapping);
    if (!hasReadableTag(*entry->target))
        refuseTag(*m_document, *entry->target, pathOf(key));
    return entry;
}

const YamlNode& ConfigSection::targetOf(const YamlNode& value, const YamlNode& container) const
{
    const YamlNode* target =
        m_dialect == Dialect::OmegaConf ? interpolationTarget(*m_document, value, container) : nullptr;
    return target ? *target : resolved(value);
}

const YamlNode* ConfigSection::value(std::string_view key) const
{
    const auto entry = find(key);
    return entry && !isNull(*entry->target) ? entry->target : nullptr;
}

bool ConfigSection::hasSection(std::string_view key) const
{
    const YamlNode* there = value(key);
    return there && there->kind == NodeKind::Mapping;
}

bool ConfigSection::isOn(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return false;
    if (there->kind != NodeKind::Scalar)
        return !there->children.empty();
    if (const auto boolean = asBoolean(*there))
        return *boolean;
    return !there->value.empty() && asNumber(*there) != 0.0;
}

std::vector<std::string_view> ConfigSection::keys() const
{
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i + 1 < m_mapping->children.size(); i += 2) {
        const YamlNode& key = resolved(*m_mapping->children[i]);
        if (isNamed(key))
            keys.push_back(key.value);
    }
    return keys;
}

std::optional<ConfigSection> ConfigSection::section(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return std::nullopt;
    if (there->kind != NodeKind::Mapping)
        fail(key, "must be a mapping of keys to values, but is {}", described(*there));
    return ConfigSection(*m_document, *there, pathOf(key), m_dialect, m_others);
}

std::optional<ConfigSection> ConfigSection::sectionOrFile(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there || there->kind != NodeKind::Scalar || !m_others)
        return hasSection(key) ? section(key) : std::nullopt;
    const YamlDocument* other = (*m_others)(there->value, positionOf(key));
    return other && other->root().kind == NodeKind::Mapping
               ? std::optional(ConfigSection(*other, other->root(), pathOf(key), m_dialect))
               : std::nullopt;
}

ConfigSection ConfigSection::emptySection(std::string_view key) const
{
    static const YamlNode nothing{.kind = NodeKind::Mapping};
    return {*m_document, nothing, pathOf(key), m_dialect, m_others};
}

ConfigSection ConfigSection::sectionIfAny(std::string_view key) const
{
    return hasSection(key) ? *section(key) : emptySection(key);
}

ConfigSection ConfigSection::sectionAt(std::string_view path) const
{
    ConfigSection there = *this;
    while (!path.empty()) {
        const std::string_view key = path.substr(0, path.find('.'));
        there = there.section(key).value_or(there.emptySection(key));
        path.remove_prefix(std::min(key.size() + 1, path.size()));
    }
    return there;
}

namespace {

/// Returns the end of a sentence that tells how to correct a number in quotation marks; empty for other
/// values.
std::string_view remedyForQuotes(const YamlNode& node)
{
    const bool isNumber = !node.value.empty() &&
                          node.value.find_first_not_of("0123456789.eE+-_") == std::string::npos &&
                          node.value.find_first_of("0123456789") != std::string::npos;
    return node.kind == NodeKind::Scalar && !node.plain && isNumber ? "; remove the quotation marks" : "";
}

} // namespace

std::optional<std::int64_t> ConfigSection::integer(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return std::nullopt;
    const auto integer = asInteger(*there);
    if (isTooLarge(*there))
        fail(key, "is {}, which is too large for any computer; write the number meant", described(*there));
    if (!integer)
        fail(key, "must be a whole number, but is {}{}", described(*there), remedyForQuotes(*there));
    return integer;
}

std::optional<std::vector<std::int64_t>> ConfigSection::integers(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return std::nullopt;
    if (there->kind != NodeKind::Sequence)
        fail(key, "must be a list of whole numbers, but is {}", described(*there));
    std::vector<std::int64_t> integers;
    for (const YamlNode* item : there->children) {
        const auto integer = asInteger(targetOf(*item, *there));
        if (!integer)
            fail(key, "must be a list of whole numbers, but holds {}", described(*item));
        integers.push_back(*integer);
    }
    return integers;
}

std::optional<std::vector<std::string>> ConfigSection::words(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return std::nullopt;
    if (there->kind != NodeKind::Sequence)
        fail(key, "must be a list of words, but is {}", described(*there));
    std::vector<std::string> words;
    for (const YamlNode* item : there->children) {
        if (resolved(*item).kind != NodeKind::Scalar || !hasReadableTag(resolved(*item)))
            fail(key, "must be a list of words, but holds {}", described(*item));
        words.push_back(resolved(*item).value);
    }
    return words;
}

std::optional<double> ConfigSection::number(std::string_view key) const
{
    const YamlNode* there = value(key);
    const auto number = there ? asNumber(*there) : std::nullopt;
    if (there && !number)
        fail(key, "must be a number, but is {}{}", described(*there), remedyForQuotes(*there));
    return number;
}

std::optional<bool> ConfigSection::boolean(std::string_view key) const
{
    const YamlNode* there = value(key);
    auto boolean = there ? asBoolean(*there) : std::nullopt;
    // Options of commands are booleans in these words too: string_to_bool in hf_argparser.py of
    // transformers 5.23.
    if (there && m_document->origin() && isAmong(there->value, "0 1"))
        boolean = there->value == "1";
    if (there && !boolean)
        fail(key, "must be True or False, but is {}", described(*there));
    return boolean;
}

std::optional<std::string> ConfigSection::text(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return std::nullopt;
    const bool isWord = there->kind == NodeKind::Scalar;
    if (isWord && (m_dialect != Dialect::OmegaConf || there->value.find("${") == std::string::npos))
        return there->value;
    auto text = isWord ? interpolatedText(*m_document, *find(key)->value, *m_mapping) : std::nullopt;
    if (!text)
        fail(key, "must be a word, but is {}", described(*there));
    return text;
}

std::vector<ConfigSection> ConfigSection::sections(std::string_view key) const
{
    const YamlNode* there = value(key);
    if (!there)
        return {};
    if (there->kind != NodeKind::Sequence)
        fail(key, "must be a list of mappings, but is {}", described(*there));
    std::vector<ConfigSection> sections;
    for (const YamlNode* item : there->children) {
        const YamlNode& target = targetOf(*item, *there);
        if (target.kind != NodeKind::Mapping || !hasReadableTag(target))
            fail(key, "must be a list of mappings, but holds {}", described(target));
        sections.emplace_back(*m_document, target, sentence("{}[{}]", pathOf(key), sections.size()),
                              m_dialect, m_others);
    }
    return sections;
}

namespace {

std::string describedWithoutTag(const YamlNode& node)
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
    // A quoted number is text to a program.
    return sentence(node.plain ? "\"{}\"" : "the text \"{}\"", shortened(node.value));
}

} // namespace

std::string described(const YamlNode& node)
{
    const std::string text = describedWithoutTag(node);
    return node.tag.empty() ? text : sentence("{} with the tag {}", text, shortened(tagText(node)));
}

void refuseOtherKeys(const ConfigSection& section, const std::vector<std::string>& known)
{
    for (std::string_view key : section.keys()) {
        if (key == "<<" || std::ranges::find(known, key) != known.end())
            continue;
        throw errorAt(section.positionOf(key),
                      "The key {} has no meaning there; correct or remove it. The keys are {}.",
                      section.pathOf(key), listed(std::vector<std::string_view>(known.begin(), known.end())));
    }
}

} // namespace batchpeak::config

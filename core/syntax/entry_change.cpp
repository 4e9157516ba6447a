// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "entry_change.h"

#include "interpolation.h"
#include "yaml_edit.h"

#include <iterator>
#include <utility>

namespace batchpeak::config {

namespace {

void append(std::vector<std::string>& notes, std::vector<std::string> more)
{
    notes.insert(notes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

ConfigSection sectionOf(const YamlDocument& document, Dialect dialect, const std::vector<std::string>& path)
{
    auto section = ConfigSection::root(document, dialect);
    if (!section)
        throw ConfigError("The text is no mapping of keys to values; open a config.");
    for (const std::string& key : path) {
        auto next = section->section(key);
        if (!next)
            section->fail(key, "is missing; write it, with the values that its trainer needs");
        section = std::move(next);
    }
    return *section;
}

/// Whether the entry is, or resolves to, a plain scalar with the same meaning as the new one, such as 0x10
/// and 16.
bool isAlready(const ConfigSection& section, const EntryChange& change)
{
    const auto entry = section.find(change.key);
    if (!entry || entry->merged)
        return false;
    const YamlNode& value = *entry->target;
    const auto present = asInteger(value);
    const bool isWritten = value.plain && value.tag.empty() && value.value == change.value;
    return value.kind == NodeKind::Scalar &&
           (isWritten || (present && std::to_string(*present) == change.value));
}

} // namespace

SplicedText splicedText(std::shared_ptr<const YamlDocument> document, std::vector<std::string> notes)
{
    std::string text = document->text();
    return {.text = std::move(text), .notes = std::move(notes), .document = std::move(document)};
}

SplicedText spliceEntry(const ConfigSection& section, std::string_view key, const std::string& value,
                        std::string_view below)
{
    const YamlDocument& document = section.document();
    const auto entry = section.find(key);
    if (entry && !entry->merged) {
        SplicedText spliced = splicedText(applied(document, replaceValue(document, *entry->value, value)),
                                          aliasNotes(document, *entry->value, key));
        if (section.dialect() != Dialect::OmegaConf)
            return spliced;
        append(spliced.notes, interpolationNotes(document, *entry->value));
        if (isInterpolated(*entry->value)) {
            spliced.notes.push_back(sentence("{} was {} and is a number of its own now.", section.pathOf(key),
                                             entry->value->value));
        }
        return spliced;
    }
    const auto neighbor = section.find(below);
    const YamlNode* after = neighbor ? neighbor->value : nullptr;
    return splicedText(
        applied(document, insertEntry(document, section.mapping(), std::string(key), value, after)),
        aliasNotes(document, section.mapping(), key));
}

SplicedText withEntries(const YamlDocument& document, Dialect dialect,
                        const std::vector<EntryChange>& changes)
{
    SplicedText result{.text = document.text()};
    for (const EntryChange& change : changes) {
        const ConfigSection section =
            sectionOf(result.document ? *result.document : document, dialect, change.section);
        if (isAlready(section, change))
            continue;
        SplicedText spliced = spliceEntry(section, change.key, change.value, change.below);
        append(result.notes, std::move(spliced.notes));
        result.text = std::move(spliced.text);
        result.document = std::move(spliced.document);
    }
    return result;
}

} // namespace batchpeak::config

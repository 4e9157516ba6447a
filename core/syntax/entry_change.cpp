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

namespace {

/// An edit of a document with the notes on it.
struct NotedEdit
{
    YamlEdit edit;
    std::vector<std::string> notes;
};

NotedEdit editOf(const ConfigSection& section, std::string_view key, const std::string& value,
                 std::string_view below)
{
    const YamlDocument& document = section.document();
    const auto entry = section.find(key);
    if (entry && !entry->merged) {
        NotedEdit edit{.edit = replaceValue(document, *entry->value, value),
                       .notes = aliasNotes(document, *entry->value, key)};
        if (section.dialect() != Dialect::OmegaConf)
            return edit;
        append(edit.notes, interpolationNotes(document, *entry->value));
        if (isInterpolated(*entry->value)) {
            edit.notes.push_back(sentence("{} was {} and is a number of its own now.", section.pathOf(key),
                                          entry->value->value));
        }
        return edit;
    }
    const auto neighbor = section.find(below);
    const YamlNode* after = neighbor ? neighbor->value : nullptr;
    return {.edit = insertEntry(document, section.mapping(), std::string(key), value, after),
            .notes = aliasNotes(document, section.mapping(), key)};
}

/// Returns the origin with one change of its document.
SplicedText changedOrigin(const ConfigSection& section, const EntryChange& change)
{
    const YamlDocument& document = section.document();
    const DocumentOrigin& origin = *document.origin();
    std::vector<TextPiece> pieces;
    SplicedText result;
    const auto take = [&](OriginChange made) {
        pieces.push_back(std::move(made.piece));
        append(result.notes, std::move(made.notes));
    };
    const auto entry = section.find(change.key);
    if (origin.insert && (!entry || entry->merged)) {
        const auto neighbor = section.find(change.below);
        // The first value of the section; those of other sections may stand elsewhere in the text.
        const YamlNode* beside = neighbor ? neighbor->value : section.mapping().children.at(1);
        while (beside->kind == NodeKind::Mapping && beside->children.size() > 1)
            beside = beside->children.at(1);
        take(origin.insert(origin.segmentAt(beside->begin), section.pathOf(change.key), change.value));
    } else {
        NotedEdit edit = editOf(section, change.key, change.value, change.below);
        applied(document, edit.edit);
        append(result.notes, std::move(edit.notes));
        for (const TextPiece& piece : edit.edit.pieces)
            take(origin.changeOf(piece));
    }
    result.text = withPieces(origin.text, std::move(pieces));
    result.document = origin.reread(result.text);
    return result;
}

} // namespace

SplicedText spliceEntry(const ConfigSection& section, std::string_view key, const std::string& value,
                        std::string_view below)
{
    NotedEdit edit = editOf(section, key, value, below);
    return splicedText(applied(section.document(), edit.edit), std::move(edit.notes));
}

SplicedText withEntries(const YamlDocument& document, Dialect dialect,
                        const std::vector<EntryChange>& changes)
{
    SplicedText result{.text = document.origin() ? document.origin()->text : document.text()};
    for (const EntryChange& change : changes) {
        const ConfigSection section =
            sectionOf(result.document ? *result.document : document, dialect, change.section);
        if (isAlready(section, change))
            continue;
        SplicedText spliced = document.origin()
                                  ? changedOrigin(section, change)
                                  : spliceEntry(section, change.key, change.value, change.below);
        append(result.notes, std::move(spliced.notes));
        result.text = std::move(spliced.text);
        result.document = std::move(spliced.document);
    }
    // The caller recognizes the whole text again, not only the part that the document was made from.
    if (document.origin())
        result.document = nullptr;
    return result;
}

} // namespace batchpeak::config

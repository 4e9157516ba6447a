// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_edit.h"

#include "text_check.h"
#include "words.h"
#include "yaml_tag.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>

namespace batchpeak::config {

namespace {

constexpr std::string_view blanks = " \t";

std::size_t skipped(std::string_view text, std::size_t begin, std::string_view characters)
{
    return std::min(text.find_first_not_of(characters, begin), text.size());
}

/// Returns the byte after a node's content, which is on one line if it is a scalar.
/// \throws ConfigError if the node is a scalar of several lines, since no setting is one
std::size_t endOf(const YamlDocument& document, const YamlNode& node)
{
    const std::string& text = document.text();
    const bool isOfSeveralLines = node.kind == NodeKind::Scalar && lineEnd(text, node.begin) < node.end;
    if (isOfSeveralLines) {
        throw errorAt(
            document.positionOf(node),
            "This value goes over several lines, so it cannot be changed in place; write it on one.");
    }
    return node.end;
}

/// Finds the byte after the colon before a mapping's value.
/// \throws ConfigError if \p value is not a value of a mapping, or there is no colon
std::size_t afterColon(const YamlDocument& document, const YamlNode& value)
{
    const std::string& text = document.text();
    const YamlNode* key = keyBefore(value);
    if (!key)
        throw errorAt(document.positionOf(value), "No key stands before this value; give it one.");

    std::size_t place = skipped(text, endOf(document, *key), " \t\r\n");
    if (place >= text.size() || text[place] != ':') {
        throw errorAt(document.positionOf(*key),
                      "No colon follows this key, so a value cannot be written there; write \"key: value\".");
    }
    return place + 1;
}

/// Finds the place for a value that is not written yet: after the colon, and after its anchor and tag if
/// these are on the same line.
/// \throws ConfigError as afterColon()
std::size_t placeOfValue(const YamlDocument& document, const YamlNode& value)
{
    const std::string& text = document.text();
    std::size_t place = afterColon(document, value);
    for (std::size_t next = skipped(text, place, blanks); isProperty(text, next);
         next = skipped(text, place, blanks))
        place = propertyEnd(text, next);
    return place;
}

/// Returns the line break of this byte's line; that of the first line if it has none.
std::string_view lineBreakFor(std::string_view text, std::size_t byte)
{
    std::size_t end = lineEnd(text, byte);
    if (end == text.size())
        end = lineEnd(text, 0);
    if (end == text.size())
        return "\n";
    return text.substr(end, nextLine(text, end) - end);
}

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(blanks) == std::string_view::npos;
}

/// Whether only blanks precede this byte in its line.
bool startsLine(std::string_view text, std::size_t byte)
{
    const std::size_t line = lineBegin(text, byte);
    return isBlank(text.substr(line, byte - line));
}

/// Finds the tag of a value and the blanks to remove with it: a tag only applies to one value, and "!!str 24"
/// is a text. So is "! 24" to parsers of YAML 1.2.
std::optional<TextPiece> tagOf(const YamlDocument& document, const YamlNode& value)
{
    if (value.tagEnd == 0)
        return std::nullopt;
    const std::string_view text = document.text();
    if (startsLine(text, value.tagBegin))
        return TextPiece{value.tagBegin, skipped(text, value.tagEnd, blanks), {}};
    return TextPiece{text.find_last_not_of(blanks, value.tagBegin - 1) + 1, value.tagEnd, {}};
}

bool isBlankOrComment(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(blanks);
    return first == std::string_view::npos || line[first] == '#';
}

/// Returns as many blanks as there are bytes before this one in its line.
std::string indentOf(std::string_view text, std::size_t byte)
{
    return std::string(byte - lineBegin(text, byte), ' ');
}

/// Returns the line of a block's first entry, or the first line of the comments above it.
std::size_t lineAboveComments(std::string_view text, std::size_t firstLine)
{
    std::size_t line = firstLine;
    while (line > lineBegin(text, 0)) {
        const std::size_t previous =
            lineBegin(text, line - 1 - (text.substr(0, line).ends_with("\r\n") ? 1 : 0));
        if (!isBlankOrComment(text.substr(previous, lineEnd(text, previous) - previous)))
            break;
        line = previous;
    }
    return line;
}

/// Inserts \p entry first into a block mapping or sequence.
TextPiece firstInBlock(const YamlDocument& document, const YamlNode& block, const std::string& entry)
{
    const std::string& text = document.text();
    const std::string indent = indentOf(text, block.begin);
    const std::string lineBreak(lineBreakFor(text, block.begin));
    const std::size_t line = lineBegin(text, block.begin);
    // The first entry of a block may share its line with the block's parent: "- batch_size: 5".
    if (!isBlank(std::string_view(text).substr(line, block.begin - line)) || line == lineBegin(text, 0))
        return {block.begin, block.begin, entry + lineBreak + indent};
    const std::size_t place = lineAboveComments(text, line);
    return {place, place, indent + entry + lineBreak};
}

/// Returns the indent of an entry that has a line of its own, including tabs, which JSON allows.
std::string indentWritten(std::string_view text, std::size_t begin)
{
    const std::size_t line = lineBegin(text, begin);
    return std::string(text.substr(line, begin - line));
}

/// Inserts \p entry before an entry of a flow mapping or sequence that has a line of its own.
TextPiece aboveInFlow(const YamlDocument& document, std::size_t begin, const std::string& entry)
{
    const std::string lineBreak(lineBreakFor(document.text(), begin));
    return {begin, begin, entry + "," + lineBreak + indentWritten(document.text(), begin)};
}

/// Inserts \p entry first between braces or brackets.
TextPiece firstInFlow(const YamlDocument& document, const YamlNode& flow, const std::string& entry)
{
    const std::string& text = document.text();
    if (flow.children.empty())
        return {flow.begin + 1, flow.begin + 1, entry};
    // In JSON there may be comments before the first entry, which keep their place.
    const std::size_t first = flow.children.front()->begin;
    if (startsLine(text, first))
        return aboveInFlow(document, first, entry);
    const std::size_t place = std::min(text.find_first_not_of(blanks, flow.begin + 1), text.size());
    const bool endsLine = lineEnd(text, place) == place;
    return {place, place, entry + (endsLine ? "," : ", ")};
}

/// Inserts \p entry on the line below a value of a block mapping.
TextPiece belowInBlock(const YamlDocument& document, const YamlNode& key, const YamlNode& value,
                       const std::string& entry)
{
    const std::string& text = document.text();
    const std::size_t end = lineEnd(text, endOf(document, value));
    const std::string indent = indentOf(text, key.begin);
    const std::string lineBreak(lineBreakFor(text, end));
    if (end == text.size())
        return {end, end, lineBreak + indent + entry};
    const std::size_t place = nextLine(text, end);
    return {place, place, indent + entry + lineBreak};
}

/// Whether a comment begins in this part of a line and continues below it.
bool leavesCommentOpen(std::string_view rest)
{
    const std::size_t begin = rest.find("/*");
    return begin != std::string_view::npos && rest.find("*/", begin + 2) == std::string_view::npos;
}

/// The bytes of a new entry.
struct Insertion
{
    TextPiece piece;
    /// Index in YamlDocument::nodes() of the node before which the new ones are inserted.
    std::size_t index = 0;
};

/// Inserts \p entry next to a value of a flow mapping: after it, or above its line if it is the last of
/// several lines and has no comma.
Insertion besideInFlow(const YamlDocument& document, const YamlNode& key, const YamlNode& value,
                       const std::string& entry)
{
    const std::string& text = document.text();
    const std::size_t end = endOf(document, value);
    if (!startsLine(text, key.begin))
        return {{end, end, ", " + entry}, value.indexAfter};
    const std::size_t comma = std::min(text.find_first_not_of(blanks, end), text.size());
    const std::size_t place = nextLine(text, end);
    const bool nextHasLine = &value != value.parent->children.back() &&
                             lineBegin(text, value.parent->children[value.place + 1]->begin) >= place;
    const bool isOpen = leavesCommentOpen(std::string_view(text).substr(end, place - end));
    if (comma < text.size() && text[comma] == ',' && nextHasLine && !isOpen)
        return {{place, place,
                 indentWritten(text, key.begin) + entry + "," + std::string(lineBreakFor(text, end))},
                value.indexAfter};
    return {aboveInFlow(document, key.begin, entry), key.index};
}

/// The functions below insert a new entry into a mapping or sequence in the style of the others: on a line of
/// its own if these have one, with their indent and line ends, otherwise between them.

/// Inserts \p entry first into a mapping or sequence, block or flow.
TextPiece firstIn(const YamlDocument& document, const YamlNode& holder, const std::string& entry)
{
    return holder.flow ? firstInFlow(document, holder, entry) : firstInBlock(document, holder, entry);
}

/// Inserts \p entry after a value of a mapping. Returns nothing if the value and its key are not alone on one
/// line.
std::optional<Insertion> besideValue(const YamlDocument& document, const YamlNode& value,
                                     const std::string& entry)
{
    const std::string& text = document.text();
    const YamlNode* key = keyBefore(value);
    const bool isOneScalar = value.children.empty() && !value.flow;
    if (!key || !isOneScalar || lineBegin(text, key->begin) != lineBegin(text, value.begin))
        return std::nullopt;
    if (value.parent->flow)
        return besideInFlow(document, *key, value, entry);
    return Insertion{belowInBlock(document, *key, value, entry), value.indexAfter};
}

/// Quotes a key like the mapping's first key.
std::string quotedAs(const YamlDocument& document, const YamlNode& mapping, const std::string& key)
{
    if (mapping.children.empty())
        return key;
    const YamlNode& first = *mapping.children.front();
    const char mark = first.begin < document.text().size() ? document.text()[first.begin] : '\0';
    return mark == '"' || mark == '\'' ? mark + key + mark : key;
}

/// \param added  number of additional nodes in the second text, after the first \p changedFrom
bool readsAlike(const YamlNode& before, const YamlNode& after, std::size_t changedFrom, std::ptrdiff_t added)
{
    const auto movedIndex = [&](const YamlNode& node) {
        return static_cast<std::ptrdiff_t>(node.index) + (node.index >= changedFrom ? added : 0);
    };
    const bool sameTarget =
        before.kind != NodeKind::Alias ||
        (after.target && movedIndex(*before.target) == static_cast<std::ptrdiff_t>(after.target->index));
    return before.kind == after.kind && before.value == after.value && before.tag == after.tag &&
           before.plain == after.plain && before.empty == after.empty && before.flow == after.flow &&
           (before.anchor != 0) == (after.anchor != 0) && before.depth == after.depth && sameTarget;
}

bool onlyEditedNodesChanged(const YamlDocument& before, const YamlDocument& after, const YamlEdit& edit)
{
    const std::size_t tail = before.nodes().size() - edit.nodesEnd;
    if (after.nodes().size() < edit.nodesBegin + tail)
        return false;
    const std::size_t afterTail = after.nodes().size() - tail;
    const auto added = static_cast<std::ptrdiff_t>(afterTail) - static_cast<std::ptrdiff_t>(edit.nodesEnd);
    for (std::size_t i = 0; i < edit.nodesBegin; ++i) {
        if (!readsAlike(before.nodes()[i], after.nodes()[i], edit.nodesEnd, added))
            return false;
    }
    for (std::size_t i = 0; i < tail; ++i) {
        if (!readsAlike(before.nodes()[edit.nodesEnd + i], after.nodes()[afterTail + i], edit.nodesEnd,
                        added))
            return false;
    }
    // New values have no tag, so a tag among them is the old one, which would change their meaning.
    return std::all_of(after.nodes().begin() + static_cast<std::ptrdiff_t>(edit.nodesBegin),
                       after.nodes().begin() + static_cast<std::ptrdiff_t>(afterTail),
                       [](const YamlNode& node) { return node.tag.empty(); });
}

bool hasKey(const YamlNode& mapping, std::string_view key)
{
    for (std::size_t i = 0; i < mapping.children.size(); i += 2) {
        if (isKey(*mapping.children[i], key))
            return true;
    }
    return false;
}

} // namespace

YamlEdit replaceValue(const YamlDocument& document, const YamlNode& value, const std::string& text)
{
    YamlEdit edit{.nodesBegin = value.index, .nodesEnd = value.indexAfter};
    if (const auto tag = tagOf(document, value))
        edit.pieces.push_back(*tag);
    const bool isBlock = !value.children.empty() && !value.flow;
    if (!value.empty && !isBlock) {
        edit.pieces.push_back({value.begin, endOf(document, value), text});
        return edit;
    }
    const std::size_t place = placeOfValue(document, value);
    edit.pieces.push_back({place, place, " " + text});
    if (isBlock) {
        const std::size_t line = lineBegin(document.text(), value.begin);
        edit.pieces.push_back({line, nextLine(document.text(), endOf(document, value)), {}});
    }
    // A tag may be on a line below the place.
    std::ranges::stable_sort(edit.pieces, {}, &TextPiece::begin);
    return edit;
}

YamlEdit insertEntry(const YamlDocument& document, const YamlNode& mapping, const std::string& key,
                     const std::string& text, const YamlNode* after)
{
    const std::string entry = quotedAs(document, mapping, key) + ": " + text;
    const bool hasNeighbor = after && after->parent == &mapping;
    if (const auto insertion = hasNeighbor ? besideValue(document, *after, entry) : std::nullopt)
        return {.pieces = {insertion->piece}, .nodesBegin = insertion->index, .nodesEnd = insertion->index};
    const std::size_t first = mapping.index + 1;
    return {.pieces = {firstIn(document, mapping, entry)}, .nodesBegin = first, .nodesEnd = first};
}

YamlEdit insertItem(const YamlDocument& document, const YamlNode& sequence, const std::string& text)
{
    const std::size_t first = sequence.index + 1;
    return {.pieces = {firstIn(document, sequence, sequence.flow ? text : "- " + text)},
            .nodesBegin = first,
            .nodesEnd = first};
}

std::shared_ptr<const YamlDocument> applied(const YamlDocument& document, const YamlEdit& edit)
{
    const ConfigError refusal("The config is written in a way that Batchpeak cannot change without touching "
                              "other values; set the micro-batch size by hand at this place.",
                              document.positionOf(edit.pieces.front().begin));
    std::shared_ptr<const YamlDocument> changed;
    try {
        changed = std::make_shared<const YamlDocument>(withPieces(document.text(), edit.pieces));
    } catch (const ConfigError&) {
        throw refusal;
    }
    if (!onlyEditedNodesChanged(document, *changed, edit))
        throw refusal;
    return changed;
}

std::vector<std::string> aliasNotes(const YamlDocument& document, const YamlNode& changed,
                                    std::string_view key)
{
    std::unordered_set<const YamlNode*> changing;
    const auto addWithAncestors = [&changing](const YamlNode* node) {
        for (; node && changing.insert(node).second; node = node->parent) {
        }
    };
    addWithAncestors(&changed);

    // One pass also finds aliases of aliases, since an alias comes after everything that it refers to.
    std::vector<ChangedPlace> places;
    for (const YamlNode& alias : document.nodes()) {
        if (alias.kind != NodeKind::Alias || !changing.contains(alias.target))
            continue;
        const YamlNode* aliasKey = keyBefore(alias);
        const bool isMerge = aliasKey && aliasKey->value == "<<";
        const bool mergesTheEntry = isMerge && (alias.target == &changed || alias.target == changed.parent);
        if (mergesTheEntry && hasKey(*alias.parent, key))
            continue;
        addWithAncestors(&alias);
        places.push_back({&alias, isMerge ? keyBefore(*alias.parent) : aliasKey});
    }
    return changeNotes(document, places, "it is an alias of the same values");
}

std::vector<std::string> changeNotes(const YamlDocument& document, const std::vector<ChangedPlace>& places,
                                     std::string_view why)
{
    constexpr std::size_t max = 20;
    std::vector<std::string> notes;
    for (const auto& [node, key] : std::span(places).first(std::min(places.size(), max))) {
        notes.push_back(sentence("Line {}{} changes with it, because {}.", document.positionOf(*node).line,
                                 key ? sentence(" ({})", key->value) : "", why));
    }
    if (places.size() > max)
        notes.push_back(sentence("So do {} more places.", places.size() - max));
    return notes;
}

} // namespace batchpeak::config

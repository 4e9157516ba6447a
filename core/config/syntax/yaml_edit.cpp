// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_edit.h"

#include "yaml_extent.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace batchpeak::config {

namespace {

constexpr std::string_view blanks = " \t";
// More lines than this are not read by anybody; the rest is counted.
constexpr std::size_t maxNotes = 20;

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(blanks) == std::string_view::npos;
}

bool isBlankOrComment(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(blanks);
    return first == std::string_view::npos || line[first] == '#';
}

/// Blanks as wide as what stands before this byte in its line.
std::string indentOf(std::string_view text, std::size_t byte)
{
    return std::string(byte - lineBegin(text, byte), ' ');
}

/// The line of a block's first entry, or of the comments that stand above it.
std::size_t lineAboveComments(std::string_view text, std::size_t firstLine)
{
    std::size_t line = firstLine;
    while (line > 0) {
        const std::size_t previous =
            lineBegin(text, line - 1 - (text.substr(0, line).ends_with("\r\n") ? 1 : 0));
        if (!isBlankOrComment(text.substr(previous, lineEnd(text, previous) - previous)))
            break;
        line = previous;
    }
    return line;
}

/// Puts \p entry first into a block mapping or sequence.
YamlEdit::Piece firstInBlock(const YamlDocument& document, const YamlNode& block, const std::string& entry)
{
    const std::string& text = document.text();
    const std::string indent = indentOf(text, block.begin);
    const std::string lineBreak(lineBreakFor(text, block.begin));
    const std::size_t line = lineBegin(text, block.begin);
    // The first entry of a block may share its line with what holds the block: "- batch_size: 5".
    if (!isBlank(std::string_view(text).substr(line, block.begin - line)) || line == 0)
        return {block.begin, block.begin, entry + lineBreak + indent};
    const std::size_t place = lineAboveComments(text, line);
    return {place, place, indent + entry + lineBreak};
}

/// Puts \p entry first between braces or brackets.
YamlEdit::Piece firstInFlow(const YamlDocument& document, const YamlNode& flow, const std::string& entry)
{
    const std::string& text = document.text();
    if (flow.children.empty())
        return {flow.begin + 1, flow.begin + 1, entry};
    const std::size_t place = std::min(text.find_first_not_of(blanks, flow.begin + 1), text.size());
    const bool endsLine = lineEnd(text, place) == place;
    return {place, place, entry + (endsLine ? "," : ", ")};
}

/// Puts \p entry on the line below a value, which must be alone with its key on one line.
std::optional<YamlEdit::Piece> belowValue(const YamlDocument& document, const YamlNode& value,
                                          const std::string& entry)
{
    const std::string& text = document.text();
    const YamlNode* key = keyOf(value);
    const bool isOneScalar = value.children.empty() && !value.flow;
    if (!key || !isOneScalar || value.parent->flow ||
        lineBegin(text, key->begin) != lineBegin(text, value.begin))
        return std::nullopt;
    const std::size_t end = lineEnd(text, endOf(document, value));
    const std::string indent = indentOf(text, key->begin);
    const std::string lineBreak(lineBreakFor(text, end));
    if (end == text.size())
        return YamlEdit::Piece{end, end, lineBreak + indent + entry};
    const std::size_t place = nextLine(text, end);
    return YamlEdit::Piece{place, place, indent + entry + lineBreak};
}

/// The mapping's first key tells how its keys are quoted.
std::string quotedAs(const YamlDocument& document, const YamlNode& mapping, const std::string& key)
{
    if (mapping.children.empty())
        return key;
    const YamlNode& first = *mapping.children.front();
    const char mark = first.begin < document.text().size() ? document.text()[first.begin] : '\0';
    return mark == '"' || mark == '\'' ? mark + key + mark : key;
}

std::string replaced(const std::string& text, const std::vector<YamlEdit::Piece>& pieces)
{
    std::string result;
    std::size_t kept = 0;
    for (const YamlEdit::Piece& piece : pieces) {
        result += text.substr(kept, piece.begin - kept) + piece.text;
        kept = piece.end;
    }
    return result + text.substr(kept);
}

/// \param added  nodes that the second text has more, behind the first \p changedFrom
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
    return true;
}

bool hasKey(const YamlNode& mapping, std::string_view key)
{
    for (std::size_t i = 0; i < mapping.children.size(); i += 2) {
        if (resolved(*mapping.children[i]).value == key)
            return true;
    }
    return false;
}

} // namespace

YamlEdit replaceValue(const YamlDocument& document, const YamlNode& value, const std::string& text)
{
    YamlEdit edit{.nodesBegin = value.index, .nodesEnd = value.indexAfter};
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
    return edit;
}

YamlEdit insertEntry(const YamlDocument& document, const YamlNode& mapping, const std::string& key,
                     const std::string& text, const YamlNode* after)
{
    const std::string entry = quotedAs(document, mapping, key) + ": " + text;
    if (after && after->parent == &mapping) {
        if (auto piece = belowValue(document, *after, entry))
            return {.pieces = {*piece}, .nodesBegin = after->indexAfter, .nodesEnd = after->indexAfter};
    }
    const std::size_t first = mapping.index + 1;
    return {.pieces = {mapping.flow ? firstInFlow(document, mapping, entry)
                                    : firstInBlock(document, mapping, entry)},
            .nodesBegin = first,
            .nodesEnd = first};
}

YamlEdit insertItem(const YamlDocument& document, const YamlNode& sequence, const std::string& text)
{
    const std::size_t first = sequence.index + 1;
    return {.pieces = {sequence.flow ? firstInFlow(document, sequence, text)
                                     : firstInBlock(document, sequence, "- " + text)},
            .nodesBegin = first,
            .nodesEnd = first};
}

std::string applied(const YamlDocument& document, const YamlEdit& edit)
{
    const ConfigError refusal(
        "The config is written in a way that Batchpeak cannot change without touching other "
        "values; set the micro-batch size by hand at this place.",
        document.positionOf(edit.pieces.front().begin));
    std::string result = replaced(document.text(), edit.pieces);
    bool isFaithful = false;
    try {
        const YamlDocument changed(result);
        isFaithful = onlyEditedNodesChanged(document, changed, edit);
    } catch (const ConfigError&) {
        throw refusal;
    }
    if (!isFaithful)
        throw refusal;
    return result;
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

    // One pass finds aliases of aliases too, since an alias comes after all that it stands for.
    std::vector<std::string> notes;
    std::size_t places = 0;
    for (const YamlNode& alias : document.nodes()) {
        if (alias.kind != NodeKind::Alias || !changing.contains(alias.target))
            continue;
        const YamlNode* aliasKey = keyOf(alias);
        const bool isMerge = aliasKey && aliasKey->value == "<<";
        const bool mergesTheEntry = isMerge && (alias.target == &changed || alias.target == changed.parent);
        if (mergesTheEntry && hasKey(*alias.parent, key))
            continue;
        addWithAncestors(&alias);
        if (++places > maxNotes)
            continue;
        const YamlNode* named = isMerge ? keyOf(*alias.parent) : aliasKey;
        notes.push_back("Line " + std::to_string(document.positionOf(alias).line) +
                        (named ? " (" + named->value + ")" : std::string()) +
                        " changes with it, because it is an alias of the same values.");
    }
    if (places > maxNotes)
        notes.push_back("So do " + std::to_string(places - maxNotes) + " more places.");
    return notes;
}

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_edit.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace batchpeak::config {

namespace {

// More lines than this are not read by anybody; the rest is counted.
constexpr std::size_t maxNotes = 20;

/// The mapping's first key tells how its keys are quoted.
std::string quotedAs(const YamlDocument& document, const YamlNode& mapping, const std::string& key)
{
    if (mapping.children.empty())
        return key;
    const YamlNode& first = *mapping.children.front();
    const char mark = first.begin < document.text().size() ? document.text()[first.begin] : '\0';
    return mark == '"' || mark == '\'' ? mark + key + mark : key;
}

std::string replaced(const std::string& text, const std::vector<TextPiece>& pieces)
{
    std::string result;
    std::size_t kept = 0;
    for (const TextPiece& piece : pieces) {
        result.append(text, kept, piece.begin - kept).append(piece.text);
        kept = piece.end;
    }
    return result.append(text, kept);
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
    const bool hasNeighbour = after && after->parent == &mapping;
    if (const auto insertion = hasNeighbour ? besideValue(document, *after, entry) : std::nullopt)
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
    const ConfigError refusal(
        "The config is written in a way that Batchpeak cannot change without touching other "
        "values; set the micro-batch size by hand at this place.",
        document.positionOf(edit.pieces.front().begin));
    std::shared_ptr<const YamlDocument> changed;
    try {
        changed = std::make_shared<const YamlDocument>(replaced(document.text(), edit.pieces));
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

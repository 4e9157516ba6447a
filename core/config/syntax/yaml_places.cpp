// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_places.h"

#include "text_check.h"

#include <algorithm>

namespace batchpeak::config {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view breaks = "\r\n";
constexpr std::string_view blanksAndBreaks = " \t\r\n";
constexpr std::string_view anchorCharacters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";

std::size_t findOr(std::size_t found, std::size_t otherwise)
{
    return found == std::string_view::npos ? otherwise : found;
}

std::size_t skip(std::string_view text, std::size_t begin, std::string_view characters)
{
    return findOr(text.find_first_not_of(characters, begin), text.size());
}

/// The byte after an anchor or tag, which need no blank behind them: yaml_parser_scan_anchor and
/// yaml_parser_scan_tag_uri in scanner.c of libyaml 0.2.5.
std::size_t propertyEnd(std::string_view text, std::size_t begin)
{
    if (text[begin] == '&')
        return findOr(text.find_first_not_of(anchorCharacters, begin + 1), text.size());
    const bool isVerbatim = text.substr(begin).starts_with("!<");
    return findOr(text.find_first_of(isVerbatim ? " \t\r\n" : " \t\r\n,[]{}", begin), text.size());
}

bool isProperty(std::string_view text, std::size_t byte)
{
    return byte < text.size() && (text[byte] == '&' || text[byte] == '!');
}

} // namespace

std::size_t afterProperties(std::string_view text, std::size_t begin)
{
    std::size_t place = begin;
    while (isProperty(text, place)) {
        place = skip(text, propertyEnd(text, place), blanksAndBreaks);
        while (place < text.size() && text[place] == '#')
            place = skip(text, lineEnd(text, place), blanksAndBreaks);
    }
    return place;
}

std::size_t endOf(const YamlDocument& document, const YamlNode& node)
{
    const std::string& text = document.text();
    const bool isOfSeveralLines = node.kind == NodeKind::Scalar && lineEnd(text, node.begin) < node.end;
    if (isOfSeveralLines) {
        throw ConfigError(
            "This value goes over several lines, so it cannot be changed in place; write it on one.",
            document.positionOf(node));
    }
    return node.end;
}

std::size_t placeOfValue(const YamlDocument& document, const YamlNode& value)
{
    const std::string& text = document.text();
    const YamlNode* key = keyOf(value);
    if (!key)
        throw ConfigError("No key stands before this value; give it one.", document.positionOf(value));

    std::size_t place = skip(text, endOf(document, *key), blanksAndBreaks);
    if (place >= text.size() || text[place] != ':') {
        throw ConfigError(
            "No colon follows this key, so a value cannot be written there; write \"key: value\".",
            document.positionOf(*key));
    }
    ++place;
    for (std::size_t next = skip(text, place, blanks); isProperty(text, next);
         next = skip(text, place, blanks))
        place = propertyEnd(text, next);
    return place;
}

const YamlNode* keyOf(const YamlNode& value)
{
    const bool isValue = value.parent && value.parent->kind == NodeKind::Mapping && value.place % 2 == 1;
    return isValue ? value.parent->children[value.place - 1] : nullptr;
}

std::size_t lineBegin(std::string_view text, std::size_t byte)
{
    const std::size_t found = text.substr(0, byte).find_last_of(breaks);
    return found == std::string_view::npos ? byteOrderMarkSize(text) : found + 1;
}

std::size_t lineEnd(std::string_view text, std::size_t byte)
{
    return findOr(text.find_first_of(breaks, byte), text.size());
}

std::size_t nextLine(std::string_view text, std::size_t byte)
{
    const std::size_t end = lineEnd(text, byte);
    if (end == text.size())
        return end;
    return end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
}

std::string_view lineBreakFor(std::string_view text, std::size_t byte)
{
    std::size_t end = lineEnd(text, byte);
    if (end == text.size())
        end = lineEnd(text, 0);
    if (end == text.size())
        return "\n";
    return text.substr(end, nextLine(text, end) - end);
}

namespace {

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
    while (line > lineBegin(text, 0)) {
        const std::size_t previous =
            lineBegin(text, line - 1 - (text.substr(0, line).ends_with("\r\n") ? 1 : 0));
        if (!isBlankOrComment(text.substr(previous, lineEnd(text, previous) - previous)))
            break;
        line = previous;
    }
    return line;
}

/// Puts \p entry first into a block mapping or sequence.
TextPiece firstInBlock(const YamlDocument& document, const YamlNode& block, const std::string& entry)
{
    const std::string& text = document.text();
    const std::string indent = indentOf(text, block.begin);
    const std::string lineBreak(lineBreakFor(text, block.begin));
    const std::size_t line = lineBegin(text, block.begin);
    // The first entry of a block may share its line with what holds the block: "- batch_size: 5".
    if (!isBlank(std::string_view(text).substr(line, block.begin - line)) || line == lineBegin(text, 0))
        return {block.begin, block.begin, entry + lineBreak + indent};
    const std::size_t place = lineAboveComments(text, line);
    return {place, place, indent + entry + lineBreak};
}

/// Nothing but blanks stands before this byte in its line.
bool startsLine(std::string_view text, std::size_t byte)
{
    const std::size_t line = lineBegin(text, byte);
    return isBlank(text.substr(line, byte - line));
}

/// What stands before an entry that has a line of its own: tabs too, as JSON takes them.
std::string indentWritten(std::string_view text, std::size_t begin)
{
    const std::size_t line = lineBegin(text, begin);
    return std::string(text.substr(line, begin - line));
}

/// Puts \p entry before an entry of a flow mapping or sequence that has a line of its own.
TextPiece aboveInFlow(const YamlDocument& document, std::size_t begin, const std::string& entry)
{
    const std::string lineBreak(lineBreakFor(document.text(), begin));
    return {begin, begin, entry + "," + lineBreak + indentWritten(document.text(), begin)};
}

/// Puts \p entry first between braces or brackets.
TextPiece firstInFlow(const YamlDocument& document, const YamlNode& flow, const std::string& entry)
{
    const std::string& text = document.text();
    if (flow.children.empty())
        return {flow.begin + 1, flow.begin + 1, entry};
    // In JSON comments may stand before the first entry, which keep their place.
    const std::size_t first = flow.children.front()->begin;
    if (startsLine(text, first))
        return aboveInFlow(document, first, entry);
    const std::size_t place = std::min(text.find_first_not_of(blanks, flow.begin + 1), text.size());
    const bool endsLine = lineEnd(text, place) == place;
    return {place, place, entry + (endsLine ? "," : ", ")};
}

/// Puts \p entry on the line below a value of a block mapping.
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

/// A comment begins in this part of a line that goes on below it.
bool leavesCommentOpen(std::string_view rest)
{
    const std::size_t begin = rest.find("/*");
    return begin != std::string_view::npos && rest.find("*/", begin + 2) == std::string_view::npos;
}

/// Puts \p entry beside a value of a flow mapping: behind it, or above its line where it is the last of
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

} // namespace

TextPiece firstIn(const YamlDocument& document, const YamlNode& holder, const std::string& entry)
{
    return holder.flow ? firstInFlow(document, holder, entry) : firstInBlock(document, holder, entry);
}

std::optional<Insertion> besideValue(const YamlDocument& document, const YamlNode& value,
                                     const std::string& entry)
{
    const std::string& text = document.text();
    const YamlNode* key = keyOf(value);
    const bool isOneScalar = value.children.empty() && !value.flow;
    if (!key || !isOneScalar || lineBegin(text, key->begin) != lineBegin(text, value.begin))
        return std::nullopt;
    if (value.parent->flow)
        return besideInFlow(document, *key, value, entry);
    return Insertion{belowInBlock(document, *key, value, entry), value.indexAfter};
}

} // namespace batchpeak::config

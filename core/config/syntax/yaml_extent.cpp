// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_extent.h"

#include "text_check.h"

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

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_extent.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view breaks = "\r\n";
constexpr std::string_view blanksAndBreaks = " \t\r\n";

std::size_t findOr(std::size_t found, std::size_t otherwise)
{
    return found == std::string_view::npos ? otherwise : found;
}

bool isOneOf(char character, std::string_view characters)
{
    return characters.find(character) != std::string_view::npos;
}

std::size_t skip(std::string_view text, std::size_t begin, std::string_view characters)
{
    return findOr(text.find_first_not_of(characters, begin), text.size());
}

std::size_t wordEnd(std::string_view text, std::size_t begin)
{
    return findOr(text.find_first_of(blanksAndBreaks, begin), text.size());
}

bool isProperty(std::string_view text, std::size_t byte)
{
    return byte < text.size() && (text[byte] == '&' || text[byte] == '!');
}

/// The byte after a quoted scalar that begins here. Doubled single quotes and escapes stay inside.
std::size_t quotedEnd(std::string_view text, std::size_t begin)
{
    const char quote = text[begin];
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (text[i] == quote) {
            const bool isDoubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
            if (!isDoubled)
                return i + 1;
            ++i;
        }
    }
    return text.size();
}

/// The byte after the bracket or brace that closes the one that begins here.
std::size_t flowEnd(std::string_view text, std::size_t begin)
{
    int open = 0;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char character = text[i];
        const bool startsToken = i == begin || isOneOf(text[i - 1], " \t\r\n,:{}[]");
        if ((character == '"' || character == '\'') && startsToken) {
            i = quotedEnd(text, i) - 1;
        } else if (character == '#' && isOneOf(text[i - 1], blanksAndBreaks)) {
            i = lineEnd(text, i);
        } else if (character == '{' || character == '[') {
            ++open;
        } else if ((character == '}' || character == ']') && --open == 0) {
            return i + 1;
        }
    }
    return text.size();
}

} // namespace

std::size_t afterProperties(std::string_view text, std::size_t begin)
{
    std::size_t place = begin;
    while (isProperty(text, place)) {
        place = skip(text, wordEnd(text, place), blanksAndBreaks);
        while (place < text.size() && text[place] == '#')
            place = skip(text, lineEnd(text, place), blanksAndBreaks);
    }
    return place;
}

std::string_view plainWordAt(std::string_view text, std::size_t begin)
{
    if (begin >= text.size())
        return {};
    return text.substr(begin, findOr(text.find_first_of(" \t\r\n,]}", begin), text.size()) - begin);
}

std::size_t endOf(const YamlDocument& document, const YamlNode& node)
{
    const std::string& text = document.text();
    if (node.kind == NodeKind::Alias)
        return node.begin + plainWordAt(text, node.begin).size();
    if (node.flow)
        return flowEnd(text, node.begin);
    if (!node.children.empty())
        return endOf(document, *node.children.back());
    if (node.empty)
        return placeOfValue(document, node);
    if (!node.plain && node.begin < text.size() && (text[node.begin] == '"' || text[node.begin] == '\''))
        return quotedEnd(text, node.begin);
    if (node.plain && text.compare(node.begin, node.value.size(), node.value) == 0)
        return node.begin + node.value.size();
    throw ConfigError(
        "This value goes over several lines, so it cannot be changed in place; write it on one.",
        document.positionOf(node));
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
        place = wordEnd(text, next);
    return place;
}

const YamlNode* keyOf(const YamlNode& value)
{
    const bool isValue = value.parent && value.parent->kind == NodeKind::Mapping && value.place % 2 == 1;
    return isValue ? value.parent->children[value.place - 1] : nullptr;
}

std::size_t lineBegin(std::string_view text, std::size_t byte)
{
    if (byte == 0)
        return 0;
    const std::size_t found = text.find_last_of(breaks, byte - 1);
    return found == std::string_view::npos ? 0 : found + 1;
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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_text.h"

#include "text_check.h"

#include <nlohmann/json.hpp>

namespace batchpeak::config {

namespace {

constexpr std::string_view blanksAndBreaks = " \t\r\n";

std::size_t endOr(std::size_t found, std::string_view text)
{
    return found == std::string_view::npos ? text.size() : found;
}

/// The byte after a comment that begins here; the same byte where none does.
std::size_t afterComment(std::string_view text, std::size_t begin)
{
    const std::string_view rest = text.substr(begin);
    if (rest.starts_with("//") || rest.starts_with("#"))
        return endOr(text.find_first_of("\r\n", begin), text);
    if (!rest.starts_with("/*"))
        return begin;
    const std::size_t close = text.find("*/", begin + 2);
    return close == std::string_view::npos ? text.size() : close + 2;
}

/// The byte after a string that begins here.
std::size_t afterString(std::string_view text, std::size_t begin)
{
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return text.size();
}

/// "\ud83d\ude00": one character outside of the plane that four digits reach.
bool isSurrogateEscape(std::string_view text, std::size_t begin)
{
    const std::string_view escape = text.substr(begin, 6);
    return escape.size() == 6 && (escape.starts_with("\\ud") || escape.starts_with("\\uD")) &&
           std::string_view("89abcdefABCDEF").find(escape[3]) != std::string_view::npos;
}

void hideSurrogates(std::string& text, std::size_t begin, std::size_t end)
{
    for (std::size_t i = begin; i < end; ++i) {
        if (text[i] != '\\')
            continue;
        if (isSurrogateEscape(text, i)) {
            text.replace(i, 6, "??????");
            i += 5;
        } else {
            ++i;
        }
    }
}

} // namespace

bool looksLikeJson(std::string_view text)
{
    std::size_t place = byteOrderMarkSize(text);
    while (place < text.size()) {
        place = endOr(text.find_first_not_of(blanksAndBreaks, place), text);
        const std::size_t after = afterComment(text, place);
        if (after == place)
            break;
        place = after;
    }
    return place < text.size() && text[place] == '{';
}

std::string asYamlReadsIt(std::string_view text)
{
    std::string read(text);
    for (std::size_t i = 0; i < text.size();) {
        // A plain word of YAML may hold slashes, as an address does; a comment has a blank before it.
        const bool startsToken =
            i == 0 || std::string_view(" \t\r\n,[]{}\"").find(text[i - 1]) != std::string_view::npos;
        const std::size_t comment = startsToken ? afterComment(text, i) : i;
        if (text[i] == '"') {
            const std::size_t end = afterString(text, i);
            hideSurrogates(read, i, end);
            i = end;
        } else if (comment > i) {
            for (; i < comment; ++i)
                read[i] = text[i] == '\n' || text[i] == '\r' ? text[i] : ' ';
        } else {
            ++i;
        }
    }
    return read;
}

void requireJson(std::string_view text, JsonComments comments)
{
    try {
        const auto json = nlohmann::json::parse(text.substr(byteOrderMarkSize(text)), nullptr, true,
                                                comments == JsonComments::Allowed);
        if (!json.is_object())
            throw ConfigError("The text is JSON but no object; a config is one, in braces.");
    } catch (const nlohmann::json::parse_error& error) {
        throw ConfigError("The text is not valid JSON, which its trainer reads; correct it at this place.",
                          positionIn(text, byteOrderMarkSize(text) + (error.byte > 0 ? error.byte - 1 : 0)));
    }
}

} // namespace batchpeak::config

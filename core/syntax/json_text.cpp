// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_text.h"

#include "text_check.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace batchpeak::config {

namespace {

constexpr std::string_view blanksAndBreaks = " \t\r\n";
// Characters at which a comment or a string may begin.
constexpr std::string_view special = "\"'/#";

/// Returns the byte after a comment that begins here; the same byte if none does.
std::size_t afterComment(std::string_view text, std::size_t begin)
{
    const std::string_view rest = text.substr(begin);
    if (rest.starts_with("//") || rest.starts_with("#"))
        return std::min(text.find_first_of("\r\n", begin), text.size());
    if (!rest.starts_with("/*"))
        return begin;
    const std::size_t close = text.find("*/", begin + 2);
    return close == std::string_view::npos ? text.size() : close + 2;
}

/// Returns the byte after a string that begins here.
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

/// Whether one half of an escape such as "\ud83d\ude00" begins here: a character that four digits cannot
/// encode.
bool isSurrogateEscape(std::string_view text, std::size_t begin)
{
    const std::string_view escape = text.substr(begin, 6);
    return escape.size() == 6 && (escape.starts_with("\\ud") || escape.starts_with("\\uD")) &&
           std::string_view("89abcdefABCDEF").find(escape[3]) != std::string_view::npos;
}

/// Whether a token may start here. A plain scalar of YAML may contain slashes and quotation marks, such as in
/// a URL; a comment has a blank before it.
bool startsToken(std::string_view text, std::size_t byte)
{
    return byte == 0 || std::string_view(" \t\r\n,[]{}\"").find(text[byte - 1]) != std::string_view::npos;
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

/// Handles the parser's events, and only keeps the first error.
class JsonCheck : public nlohmann::json_sax<nlohmann::json>
{
public:
    const std::string& problem() const { return m_problem; }
    std::size_t problemByte() const { return m_problemByte; }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception& error) override
    {
        // The parser's own position is that of the last byte that it has read.
        m_problemByte = position > 0 ? position - 1 : 0;
        const bool isTooLarge = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
        m_problem = isTooLarge
                        ? "This number is too large for any computer; write the number meant."
                        : "The text is not valid JSON, which its trainer reads; correct it at this place.";
        return false;
    }

private:
    std::string m_problem;
    std::size_t m_problemByte = 0;
};

} // namespace

bool looksLikeJson(std::string_view text)
{
    std::size_t place = byteOrderMarkSize(text);
    while (place < text.size()) {
        place = std::min(text.find_first_not_of(blanksAndBreaks, place), text.size());
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
    for (std::size_t i = text.find_first_of(special); i < text.size(); i = text.find_first_of(special, i)) {
        const std::size_t comment = startsToken(text, i) ? afterComment(text, i) : i;
        if (text[i] == '"') {
            const std::size_t end = afterString(text, i);
            hideSurrogates(read, i, end);
            i = end;
        } else if (text[i] == '\'' && startsToken(text, i)) {
            i = std::min(text.find('\'', i + 1), text.size()) + 1;
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
    const std::size_t begin = byteOrderMarkSize(text);
    const std::string_view json = text.substr(begin);
    JsonCheck check;
    if (!nlohmann::json::sax_parse(json.begin(), json.end(), &check, nlohmann::json::input_format_t::json,
                                   true, comments == JsonComments::Allowed)) {
        throw ConfigError(check.problem(), positionIn(text, begin + check.problemByte()));
    }
    if (!looksLikeJson(text))
        throw ConfigError("The text is JSON but no object; a config is one, in braces.");
}

std::string quotedJson(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocol_json.h"

#include "protocol.h"

namespace batchpeak::trial {

namespace {

// The deepest message of the protocol has three levels; a program may put more into fields that are ignored.
constexpr int deepestNesting = 32;
constexpr std::size_t longestText = 16 * 1024;
constexpr std::size_t longestQuote = 80;

bool refuseDeepNesting(int depth, Json::parse_event_t, Json&)
{
    if (depth >= deepestNesting) {
        throw MessageError("The line is nested more than " + std::to_string(deepestNesting) +
                           " levels deep.");
    }
    return true;
}

std::string dumped(const Json& value, bool asciiOnly)
{
    return value.dump(-1, ' ', asciiOnly, Json::error_handler_t::replace);
}

} // namespace

Json parseObject(std::string_view line)
{
    if (line.size() > maxLineBytes) {
        throw MessageError("The line is " + std::to_string(line.size()) + " bytes long, but at most " +
                           std::to_string(maxLineBytes) + " are allowed.");
    }
    Json value;
    try {
        value = Json::parse(line, refuseDeepNesting);
    } catch (const Json::parse_error& error) {
        throw MessageError("The line is not JSON from byte " + std::to_string(error.byte) +
                           " on: " + inQuotes(line) + ".");
    } catch (const Json::out_of_range&) {
        throw MessageError("The line holds a number that is too large: " + inQuotes(line) + ".");
    }
    if (!value.is_object())
        throw MessageError("The line is not a JSON object: " + inQuotes(line) + ".");
    return value;
}

std::string toJsonLine(const Json& object)
{
    return dumped(object, false) + '\n';
}

std::string clipped(const std::string& text)
{
    return text.substr(0, longestText);
}

std::string inQuotes(std::string_view text)
{
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    const bool isLong = text.size() > longestQuote;
    return dumped(Json(text.substr(0, longestQuote)), true) + (isLong ? " ..." : "");
}

} // namespace batchpeak::trial

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "field_reader.h"

#include "protocol.h"

#include <cmath>
#include <limits>
#include <utility>

namespace batchpeak::trial {

namespace {

// The deepest message of the protocol has three levels; a program may put more into fields that are ignored.
constexpr int deepestNesting = 32;
constexpr std::size_t longestText = std::size_t{16} * 1024;
constexpr std::size_t longestQuote = 80;
// In watts, joules, degrees or megahertz; the readings of real sensors are far below it.
constexpr double largestReading = 1e12;

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

/// Whether the value is a signed integer of 64 bits.
bool isInteger(const Json& value)
{
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > largest);
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

std::int64_t FieldReader::integer(const char* name, std::optional<std::int64_t> fallback) const
{
    if (fallback && !find(name))
        return *fallback;
    const Json& found = require(name);
    if (!isInteger(found))
        refuse(name, found, "a whole number of at most 63 bits");
    return found.get<std::int64_t>();
}

std::int64_t FieldReader::integerFrom(std::int64_t min, const char* name,
                                      std::optional<std::int64_t> fallback) const
{
    const std::int64_t value = integer(name, fallback);
    if (value < min) {
        refuse(name, "is " + std::to_string(value) + ", but must be at least " + std::to_string(min));
    }
    return value;
}

int FieldReader::smallInteger(int min, const char* name, std::optional<int> fallback) const
{
    const std::int64_t value = integerFrom(min, name, fallback);
    if (!std::in_range<int>(value))
        refuse(name, "is too large: " + std::to_string(value));
    return static_cast<int>(value);
}

std::int64_t FieldReader::amount(const char* name, std::optional<std::int64_t> fallback) const
{
    const std::int64_t value = integerFrom(0, name, fallback);
    if (value > maxBytes)
        refuse(name, "is " + std::to_string(value) + ", but no computer has as much");
    return value;
}

std::uint64_t FieldReader::seed(const char* name, std::uint64_t fallback) const
{
    const Json* found = find(name);
    if (!found)
        return fallback;
    if (!found->is_number_unsigned())
        refuse(name, *found, "a whole number of at least 0");
    return found->get<std::uint64_t>();
}

bool FieldReader::boolean(const char* name, bool fallback) const
{
    const Json* found = find(name);
    if (!found)
        return fallback;
    if (!found->is_boolean())
        refuse(name, *found, "true or false");
    return found->get<bool>();
}

std::string FieldReader::text(const char* name, std::optional<std::string> fallback) const
{
    if (fallback && !find(name))
        return *fallback;
    const Json& found = require(name);
    if (!found.is_string())
        refuse(name, found, "a text");
    return found.get<std::string>();
}

std::vector<std::string> FieldReader::texts(const char* name) const
{
    const Json* found = find(name);
    if (!found)
        return {};
    std::vector<std::string> result;
    if (!found->is_array())
        refuse(name, *found, "a list of texts");
    for (const Json& element : *found) {
        if (!element.is_string())
            refuse(name, *found, "a list of texts");
        result.push_back(element.get<std::string>());
    }
    return result;
}

std::vector<std::int64_t> FieldReader::integers(const char* name) const
{
    const Json* found = find(name);
    if (!found)
        return {};
    std::vector<std::int64_t> result;
    if (!found->is_array())
        refuse(name, *found, "a list of whole numbers");
    for (const Json& element : *found) {
        if (!isInteger(element))
            refuse(name, *found, "a list of whole numbers of at most 63 bits");
        result.push_back(element.get<std::int64_t>());
    }
    return result;
}

double FieldReader::number(const char* name, double fallback) const
{
    const Json* found = find(name);
    if (!found)
        return fallback;
    if (!found->is_number())
        refuse(name, *found, "a number");
    return found->get<double>();
}

double FieldReader::duration(const char* name, std::optional<double> fallback) const
{
    if (fallback && !find(name))
        return *fallback;
    const Json& found = require(name);
    const double seconds = found.is_number() ? found.get<double>() : -1.0;
    if (!std::isfinite(seconds) || seconds < 0 || seconds > longestSeconds)
        refuse(name, found, "a number of seconds, from zero to ten years");
    return seconds;
}

std::optional<double> FieldReader::optionalDuration(const char* name) const
{
    if (!find(name))
        return std::nullopt;
    return duration(name);
}

std::optional<double> FieldReader::optionalRatio(const char* name) const
{
    // With a scatter of a million times the measured value, nothing has been measured.
    constexpr double largest = 1e6;
    const Json* found = find(name);
    if (!found)
        return std::nullopt;
    const double ratio = found->is_number() ? found->get<double>() : -1.0;
    if (!(ratio >= 0 && ratio <= largest))
        refuse(name, *found, "a number from zero to a million");
    return ratio;
}

std::vector<double> FieldReader::durations(const char* name) const
{
    const Json* found = find(name);
    if (!found)
        return {};
    if (!found->is_array())
        refuse(name, *found, "a list of numbers of seconds");
    std::vector<double> result;
    for (const Json& element : *found) {
        const double seconds = element.is_number() ? element.get<double>() : 0.0;
        if (!std::isfinite(seconds) || seconds < shortestStepSeconds || seconds > longestSeconds)
            refuse(name, element, "a list of numbers of seconds, each from a nanosecond to ten years");
        result.push_back(seconds);
    }
    return result;
}

std::optional<double> FieldReader::reading(const char* name) const
{
    const Json* found = find(name);
    if (!found || !found->is_number())
        return std::nullopt;
    const double value = found->get<double>();
    return value >= 0 && value <= largestReading ? std::optional(value) : std::nullopt;
}

FieldReader FieldReader::object(const char* name) const
{
    const Json& found = require(name);
    if (!found.is_object())
        refuse(name, found, "an object");
    return FieldReader(found, "object " + inQuotes(name) + " of the " + m_owner);
}

std::vector<FieldReader> FieldReader::objects(const char* name) const
{
    const Json* found = find(name);
    if (!found)
        return {};
    std::vector<FieldReader> result;
    if (!found->is_array())
        refuse(name, *found, "a list of objects");
    for (const Json& element : *found) {
        if (!element.is_object())
            refuse(name, *found, "a list of objects");
        result.emplace_back(element, "element " + std::to_string(result.size() + 1) + " of " +
                                         inQuotes(name) + " of the " + m_owner);
    }
    return result;
}

void FieldReader::refuse(const char* name, const std::string& problem) const
{
    throw MessageError("The field " + inQuotes(name) + " of the " + m_owner + ' ' + problem + '.');
}

void FieldReader::refuse(const char* name, const Json& found, const char* wanted) const
{
    refuse(name, "is " + inQuotes(found.dump(-1, ' ', true, Json::error_handler_t::replace)) +
                     ", but must be " + wanted);
}

const Json* FieldReader::find(const char* name) const
{
    const auto found = m_object.find(name);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

const Json& FieldReader::require(const char* name) const
{
    if (const Json* found = find(name))
        return *found;
    throw MessageError("The " + m_owner + " has no field " + inQuotes(name) + '.');
}

} // namespace batchpeak::trial

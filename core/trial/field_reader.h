// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::trial {

using Json = nlohmann::json;

/// Reason that a line is not a message, as a full sentence. It never leaves core/trial: the parse functions
/// of protocol.h return it as a value.
class MessageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// Parses the object that a line holds. Size and nesting are checked before anything is built from the line.
/// \throws MessageError
Json parseObject(std::string_view line);

/// Returns one line with its line end. Bytes that are not UTF-8 become replacement characters, since a
/// library may put anything into the text of an error.
std::string toJsonLine(const Json& object);

/// Returns the start of a text, so that a long text of a library does not make the line too long to be read.
std::string clipped(const std::string& text);

/// Returns the start of \p text in quotes and plain ASCII, fit for a sentence.
std::string inQuotes(std::string_view text);

/// Reads the fields of one JSON object as the types that a message requires, and reports a wrong field in a
/// sentence. A field that is null counts as absent, since Python writes None as null.
///
/// A field without a fallback is required. Every function throws MessageError.
class FieldReader
{
public:
    /// \param object  must outlive the reader
    /// \param owner  name of the object for the sentence: "message \"load\""
    FieldReader(const Json& object, std::string owner) : m_object(object), m_owner(std::move(owner)) {}

    bool has(const char* name) const { return find(name) != nullptr; }
    bool isText(const char* name) const { return has(name) && find(name)->is_string(); }
    std::int64_t integer(const char* name, std::optional<std::int64_t> fallback = {}) const;
    /// \param min  smaller values are refused
    std::int64_t integerFrom(std::int64_t min, const char* name,
                             std::optional<std::int64_t> fallback = {}) const;
    int smallInteger(int min, const char* name, std::optional<int> fallback = {}) const;
    /// Number of bytes, parameters or samples, from zero to maxBytes.
    std::int64_t amount(const char* name, std::optional<std::int64_t> fallback = {}) const;
    std::uint64_t seed(const char* name, std::uint64_t fallback) const;
    bool boolean(const char* name, bool fallback) const;
    std::string text(const char* name, std::optional<std::string> fallback = {}) const;
    std::vector<std::string> texts(const char* name) const;
    std::vector<std::int64_t> integers(const char* name) const;

    double number(const char* name, double fallback) const;
    /// Seconds, from zero to longestSeconds.
    double duration(const char* name, std::optional<double> fallback = {}) const;
    std::optional<double> optionalDuration(const char* name) const;
    /// A number from 0 to a million, without a unit.
    std::optional<double> optionalRatio(const char* name) const;
    /// Durations of steps, each of shortestStepSeconds or more.
    std::vector<double> durations(const char* name) const;
    /// Reading of a sensor. A value that is not a number, is below zero, or is absurdly large counts as
    /// absent, so that a broken sensor does not invalidate a measurement.
    std::optional<double> reading(const char* name) const;

    template<model::HasWords Value>
    Value word(const char* name, std::optional<Value> fallback = {}) const
    {
        if (fallback && !find(name))
            return *fallback;
        const std::string found = text(name);
        if (const std::optional<Value> value = model::fromText<Value>(found))
            return *value;
        refuse(name, "is not one of the words that it may be: " + inQuotes(found));
    }

    /// Returns a reader of the object in that field.
    FieldReader object(const char* name) const;
    /// Returns a reader for each object of the list in that field; none without the field.
    std::vector<FieldReader> objects(const char* name) const;

    /// \param problem  the end of the sentence that starts "The field ... of the ... "
    [[noreturn]] void refuse(const char* name, const std::string& problem) const;

private:
    const Json* find(const char* name) const;
    const Json& require(const char* name) const;
    [[noreturn]] void refuse(const char* name, const Json& found, const char* wanted) const;

    const Json& m_object;
    std::string m_owner;
};

} // namespace batchpeak::trial

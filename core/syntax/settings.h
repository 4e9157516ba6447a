// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "source_locations.h"
#include "words.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// Interface to the values of a config by their keys, independent of its syntax: a section of YAML or JSON,
/// or the arguments of a script. Tables of keys are read through it.
///
/// Errors name the value as the config does ("model.num_layers", "--num-layers") and say which values are
/// allowed.
class Settings
{
public:
    virtual ~Settings() = default;

    /// Whether there is a value, and it is not null.
    virtual bool has(std::string_view key) const = 0;
    /// Whether there is a value, and it is not null, False, zero, or an empty text, list or mapping.
    virtual bool isOn(std::string_view key) const = 0;

    /// Each of these returns nothing if the key is absent or null.
    /// \throws ConfigError if the value is of another kind
    virtual std::optional<std::int64_t> integer(std::string_view key) const = 0;
    virtual std::optional<double> number(std::string_view key) const = 0;
    virtual std::optional<bool> boolean(std::string_view key) const = 0;
    virtual std::optional<std::string> text(std::string_view key) const = 0;

    /// Returns the full name of the key in the config.
    virtual std::string pathOf(std::string_view key) const = 0;
    /// Returns the position of the value, or of what would contain it if it is absent.
    virtual TextPosition positionOf(std::string_view key) const = 0;
    /// Returns the place of a value that is not null.
    /// \param path  a key, or keys separated by dots if values are nested
    virtual std::optional<SourceLocation> placeOf(std::string_view path) const = 0;

    /// \param problem  text for sentence()
    /// \throws ConfigError that names the value and its problem
    template<typename... Values>
    [[noreturn]] void fail(std::string_view key, std::string_view problem, const Values&... values) const
    {
        throw ConfigError("The value of " + pathOf(key) + " " + sentence(problem, values...) + ".",
                          positionOf(key));
    }

protected:
    Settings() = default;
    Settings(const Settings&) = default;
    Settings& operator=(const Settings&) = default;
};

} // namespace batchpeak::config

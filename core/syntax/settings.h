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

/// Values by their keys, whatever a config writes them in: a section of YAML or JSON, or the arguments of a
/// script. What tables of keys are read by.
///
/// Errors name the value as the config does ("model.num_layers", "--num-layers") and say what may stand
/// there.
class Settings
{
public:
    virtual ~Settings() = default;

    /// There is a value, and it is not null.
    virtual bool has(std::string_view key) const = 0;
    /// There is a value, and it is not null, False, zero, or an empty text, list or mapping.
    virtual bool isOn(std::string_view key) const = 0;

    /// Each of these: nothing where the key is absent or null.
    /// \throws ConfigError where the value is of another kind
    virtual std::optional<std::int64_t> integer(std::string_view key) const = 0;
    virtual std::optional<double> number(std::string_view key) const = 0;
    virtual std::optional<bool> boolean(std::string_view key) const = 0;
    virtual std::optional<std::string> text(std::string_view key) const = 0;

    /// The key as the config has it, with all that it takes to find it.
    virtual std::string pathOf(std::string_view key) const = 0;
    /// Of the value where there is one, else of what would hold it.
    virtual TextPosition positionOf(std::string_view key) const = 0;
    /// Where a value stands that is not null.
    /// \param path  a key, or keys with dots between where values are nested
    virtual std::optional<SourceLocation> placeOf(std::string_view path) const = 0;

    /// \param problem  as sentence() takes it
    /// \throws ConfigError that names the value and tells what is wrong with it
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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Something that a run or its network has and trials do not have: a row of a table that a format or a kind
/// of network keeps. What follows from it is for the function that is given the table.
struct Difference
{
    enum class When {
        /// The value is switched on: Settings::isOn().
        On,
        /// There is a value.
        There,
        True,
        False,
        AboveOne,
        /// The value is written, and none of those that trials know.
        NoneOf
    };
    std::string_view key;
    /// A sentence or a noun phrase, as the function wants it. In it, {} stands for the key as the config has
    /// it, and {value} for the value.
    std::string_view text;
    When when = When::On;
    /// The words that trials know, for NoneOf, with blanks between.
    std::string_view known = {};
};

/// The text of the first row that applies, filled in, and where its value stands.
/// \throws ConfigError where a value is of another kind than the row asks for
std::optional<Warning> firstOf(const Settings& settings, std::span<const Difference> differences);

/// Rows hold sentences, and each that applies becomes a warning: trials run all the same.
void warnOf(const Settings& settings, std::span<const Difference> differences,
            std::vector<Warning>& warnings);

/// Rows hold sentences: a trial would measure another run altogether.
std::optional<UnsupportedModel> otherRun(const Settings& settings, std::span<const Difference> differences);

/// Rows hold noun phrases of what the network uses that changes its speed or memory.
std::optional<UnsupportedModel> otherNetwork(const Settings& settings,
                                             std::span<const Difference> differences);

/// As otherNetwork() has it of a row.
UnsupportedModel unsupportedBecause(const Settings& settings, std::string_view key,
                                    const std::string& feature);

} // namespace batchpeak::config

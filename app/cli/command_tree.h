// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace batchpeak::cli {

/// The declared command line: what a shell has to know to complete it.

/// An option or a positional argument.
struct DeclaredOption
{
    /// "--phase"; for a positional argument "FILE".
    std::string name;
    std::string help;
    /// The words that are allowed as its value and placeholders for other values: "train|eval",
    /// "N|below|above". Empty for an option without a value.
    std::string values;
    bool isRepeated = false;

    bool isNamed() const { return name.starts_with('-'); }
};

/// A program, or one of its commands.
struct DeclaredCommand
{
    std::string name;
    std::string summary;
    /// Options in the order of their declaration, without those that the help does not list.
    std::vector<DeclaredOption> options;
    std::vector<DeclaredCommand> commands;
};

} // namespace batchpeak::cli

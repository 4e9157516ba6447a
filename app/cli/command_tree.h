// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace batchpeak::cli {

/// A command line as it was declared: what a shell has to know to complete it.

/// An option, or a word without a name.
struct DeclaredOption
{
    /// "--phase", or of a word without a name "FILE"
    std::string name;
    std::string help;
    /// The words that there are for its value and what stands for others, "train|eval", "N|below|above";
    /// empty of an option without a value.
    std::string values;
    bool isRepeated = false;

    bool isNamed() const { return name.starts_with('-'); }
};

/// A program, or one of its commands.
struct DeclaredCommand
{
    std::string name;
    std::string summary;
    /// In the order of their declaration; without those that no help speaks of.
    std::vector<DeclaredOption> options;
    std::vector<DeclaredCommand> commands;
};

} // namespace batchpeak::cli

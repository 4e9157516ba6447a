// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"
#include "entry_change.h"
#include "shell_variables.h"
#include "shell_words.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// An option that a script gives to a program, as "--lr 1e-4" or "--lr=1e-4".
struct ShellArgument
{
    /// With its dashes, and with dashes in the place of underscores, which launchers take for the same.
    std::string name;
    /// The words up to the next option; none for a flag.
    std::vector<ShellWord> values;
    bool isJoined = false;
    /// [begin, end) of the option with its first value.
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The bytes of a script to change for an argument to have another value, and what else they are.
struct ShellPlace
{
    std::size_t begin = 0;
    std::size_t end = 0;
    /// Variables that stand between the argument and the place.
    std::vector<std::string> variables;
    /// The bytes of the references to them that were followed.
    std::vector<std::size_t> references;
    /// The variable of the environment that comes before what stands there.
    std::optional<std::string> environment;
    /// An expression stands there, which a number would replace.
    bool isExpression = false;
};

/// A shell script, read by the options that it gives to programs, with the values of its variables
/// (ShellVariables). It is not run: of the branches of its control flow, all count.
class ShellScript
{
public:
    explicit ShellScript(std::string text);
    ShellScript(const ShellScript&) = delete;
    ShellScript& operator=(const ShellScript&) = delete;

    const std::string& text() const { return m_text; }
    const ShellWords& words() const { return m_words; }

    /// \param name  as "--micro-batch-size"
    std::vector<const ShellArgument*> arguments(std::string_view name) const;
    /// The last of that name, which is the one that argparse takes; one without a value only where all are.
    /// Null where there is none.
    const ShellArgument* argument(std::string_view name) const;
    bool has(std::string_view name) const { return argument(name) != nullptr; }
    /// Of the argument; of the text's beginning where it is not there.
    TextPosition positionOf(std::string_view name) const;
    /// Of its first value: of what is written for it, be it the value of a variable or a fallback; of the
    /// option itself where it has none. Nothing where it is not there.
    std::optional<TextPosition> valuePositionOf(std::string_view name) const;

    /// The first value; nothing where there is none, or only a run of the script tells.
    std::optional<std::string> value(std::string_view name) const;
    std::optional<std::string> valueOf(const ShellWord& word) const;
    std::optional<std::string> variable(const std::string& name) const;

    /// Where the value of an argument is to be changed.
    ShellPlace placeOf(const ShellWord& value) const;
    /// Bytes at which a variable is used, comments left out.
    std::vector<std::size_t> usesOf(const std::string& variable) const;

private:
    void indexArguments();

    std::string m_text;
    ShellWords m_words;
    ShellVariables m_variables;
    std::vector<ShellArgument> m_arguments;
};

/// The script with another value of an argument: the one word changes that the value comes from, be it that
/// of the argument, of an assignment, or a default. Where it is that value already, nothing changes. An
/// absent argument is inserted beside another one, in a line of its own where the other has one.
///
/// \param name    "--micro-batch-size"
/// \param beside  nothing is inserted without it
/// \throws ConfigError where the argument stands several times, so that it is not known which one counts, or
/// neither of the two is there
SplicedText withArgument(const ShellScript& script, std::string_view name, const std::string& value,
                         std::string_view beside);

} // namespace batchpeak::config

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

/// An option that a script passes to a program, such as "--lr 1e-4" or "--lr=1e-4".
struct ShellArgument
{
    /// Name with its leading dashes. Underscores are replaced by dashes, which launchers treat as the same.
    std::string name;
    /// Words up to the next option; empty for a flag.
    std::vector<ShellWord> values;
    bool isJoined = false;
    /// Bytes [begin, end) of the option with its first value.
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The bytes of a script that have to change to give an argument another value, and their role.
struct ShellPlace
{
    std::size_t begin = 0;
    std::size_t end = 0;
    /// Variables that were followed from the argument to the place.
    std::vector<std::string> variables;
    /// First bytes of the references that were followed.
    std::vector<std::size_t> references;
    /// The environment variable that takes precedence over the text there.
    std::optional<std::string> environment;
    /// Whether there is an expression, which a number would replace.
    bool isExpression = false;
};

/// The options that a shell script passes to programs, with the values of its variables (ShellVariables). The
/// script is not run: all branches of its control flow count.
class ShellScript
{
public:
    explicit ShellScript(std::string text);
    ShellScript(const ShellScript&) = delete;
    ShellScript& operator=(const ShellScript&) = delete;

    const std::string& text() const { return m_text; }
    const ShellWords& words() const { return m_words; }

    /// \param name  name of the option: "--micro-batch-size"
    std::vector<const ShellArgument*> arguments(std::string_view name) const;
    /// Returns the last argument of that name, which is the one that argparse uses; one without a value only
    /// if none has one. Returns nullptr if there is none.
    const ShellArgument* argument(std::string_view name) const;
    bool has(std::string_view name) const { return argument(name) != nullptr; }
    /// Returns the position of the argument's first value, or of the option if it has no value; the beginning
    /// of the text if there is no such argument.
    TextPosition positionOf(std::string_view name) const;
    /// Returns the position at which the argument's first value is written, which may be in an assignment or
    /// a default; that of the option itself if it has no value. Returns nothing if there is no such argument.
    std::optional<TextPosition> valuePositionOf(std::string_view name) const;

    /// Returns the first value, or nothing if there is none, or if only a run of the script would determine
    /// it.
    std::optional<std::string> value(std::string_view name) const;
    std::optional<std::string> valueOf(const ShellWord& word) const;
    std::optional<std::string> variable(const std::string& name) const;

    /// Returns the place to change for another value of an argument.
    ShellPlace placeOf(const ShellWord& value) const;
    /// Returns the bytes at which a variable is used, outside of comments.
    std::vector<std::size_t> usesOf(const std::string& variable) const;

private:
    void indexArguments();

    std::string m_text;
    ShellWords m_words;
    ShellVariables m_variables;
    std::vector<ShellArgument> m_arguments;
};

/// Returns the script with another value of an argument. Only the word changes from which the value comes:
/// that of the argument, of an assignment, or a default. Nothing changes if the argument already has the
/// value. An absent argument is inserted next to another one, on a line of its own if the other has one.
///
/// \param name    name of the option: "--micro-batch-size"
/// \param beside  option next to which an absent argument is inserted
/// \throws ConfigError if the argument occurs several times, so that it is unknown which one counts, or if
///         neither of the two options exists
SplicedText withArgument(const ShellScript& script, std::string_view name, const std::string& value,
                         std::string_view beside);

} // namespace batchpeak::config

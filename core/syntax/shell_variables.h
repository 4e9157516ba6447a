// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell_words.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace batchpeak::config {

/// Evaluates the expression in $(( )): decimal numbers and names with + - * / % and parentheses, as in C
/// (IEEE 1003.1-2017, Shell Command Language, 2.6.4). Returns nothing for anything else, if a name has no
/// value, and for values beyond 2^31, which are no counts of devices or samples.
///
/// \param valueOf  returns the value of NAME, $NAME and ${NAME}
std::optional<std::int64_t>
shellArithmetic(std::string_view expression,
                const std::function<std::optional<std::int64_t>(const std::string& name)>& valueOf);

/// Returns the value of a text that is one decimal number of at most 2^31, with blanks around it or not, or
/// nothing for any other text.
std::optional<std::int64_t> shellNumber(std::string_view text);

/// The values of a script's variables. A variable has the value that the script assigns to it, if it does so
/// once, or always the same value. One without an assignment has its default (${NAME:-4}), or is unknown.
///
/// The values of the environment are those that a scheduler is known to set; an assignment and they come
/// before a default. All branches of control flow count. Cycles and texts longer than any real value are
/// unknown too.
class ShellVariables
{
public:
    /// \param text, words  must outlive this object
    ShellVariables(std::string_view text, const ShellWords& words);

    /// Sets the value of a variable for where the script assigns none that is known.
    void setEnvironment(const std::string& name, std::string value);

    /// Returns nothing if only a run of the script would determine the value.
    std::optional<std::string> textOf(const std::vector<ShellPiece>& pieces) const;
    std::optional<std::string> valueOf(const std::string& name) const;

    bool isAssigned(const std::string& name) const;
    /// Returns the byte at which a loop or another command assigns a variable, if one does.
    std::optional<std::size_t> commandAssigning(const std::string& name) const;
    /// Returns the bytes at which the script assigns a variable.
    std::vector<std::size_t> assignmentsOf(const std::string& name) const;
    /// Returns the only word that is assigned to a variable; nullptr if there is none, or several.
    const ShellWord* onlyValue(const std::string& name) const;

private:
    class Evaluation;

    void indexDefaults(const ShellWord& word);

    std::string_view m_text;
    std::unordered_map<std::string, std::vector<const ShellAssignment*>> m_assignments;
    /// Defaults from ${NAME:=4}.
    std::unordered_map<std::string, ShellPiece> m_defaults;
    std::unordered_map<std::string, std::string> m_environment;
    /// Variables that commands assign, such as those of loops, and the bytes at which they do.
    std::unordered_map<std::string, std::size_t> m_assignedByCommands;
};

} // namespace batchpeak::config

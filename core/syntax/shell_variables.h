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
#include <unordered_set>
#include <vector>

namespace batchpeak::config {

/// The value of what stands in $(( )): decimal numbers and names with + - * / % and parentheses, as in C
/// (IEEE 1003.1-2017, Shell Command Language, 2.6.4). Nothing for anything else, where a name has no value,
/// and for values beyond 2^31, which count no devices and no samples.
///
/// \param valueOf  of NAME, $NAME and ${NAME}
std::optional<std::int64_t>
shellArithmetic(std::string_view expression,
                const std::function<std::optional<std::int64_t>(const std::string& name)>& valueOf);

/// A text that is one decimal number of at most 2^31 and nothing else, blanks around it apart.
std::optional<std::int64_t> shellNumber(std::string_view text);

/// What the variables of a script stand for: what it assigns to them, where it assigns to them once, or
/// always the same. Those that it does not assign have their defaults (${NAME:-4}) or are not known.
///
/// Of the branches of control flow, all count. Circles and texts beyond any real value are not known either.
class ShellVariables
{
public:
    /// \param text, words  live as long
    ShellVariables(std::string_view text, const ShellWords& words);

    /// Nothing where only a run of the script tells.
    std::optional<std::string> textOf(const std::vector<ShellPiece>& pieces) const;
    std::optional<std::string> valueOf(const std::string& name) const;

    bool isAssigned(const std::string& name) const;
    /// The one word that a variable stands for; null where there is none, or several.
    const ShellWord* onlyValue(const std::string& name) const;

private:
    class Evaluation;

    void indexDefaults(const ShellWord& word);

    std::string_view m_text;
    std::unordered_map<std::string, std::vector<const ShellAssignment*>> m_assignments;
    /// Of ${NAME:=4}.
    std::unordered_map<std::string, ShellPiece> m_defaults;
    /// Assigned by commands, as those of loops.
    std::unordered_set<std::string> m_assignedByCommands;
};

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"
#include "entry_change.h"
#include "shell_variables.h"
#include "shell_words.h"
#include "source_locations.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// A longer text is not split into words, since one of megabytes may have millions of them; the longest
/// launch script that we know of has 90 thousand bytes.
inline constexpr std::size_t maxScriptBytes = std::size_t{1} << 20;

/// Whether a text may be a script that sets a batch.
bool mayNameBatch(std::string_view text);

/// An option that a script passes to a program, such as "--lr 1e-4" or "--lr=1e-4", or a setting of Hydra,
/// such as "data.max_length=8".
struct ShellArgument
{
    /// Name with its leading dashes, if it has any. Underscores are replaced by dashes, which launchers treat
    /// as the same; those of a setting stay.
    std::string name;
    /// Words up to the next option; empty for a flag.
    std::vector<ShellWord> values;
    bool isJoined = false;
    /// Bytes [begin, end) of the option with its first value.
    std::size_t begin = 0;
    std::size_t end = 0;
    /// ShellWord::command of the option.
    std::size_t command = 0;
};

/// A command with all that is passed to it, also by variables and arrays.
struct ShellRun
{
    /// Its own words as far as they are known, separated by blanks: "accelerate launch train.py --lr 1e-4".
    std::string words;
    /// Its own options and those in the lists that it uses, in the order in which they are passed.
    std::vector<const ShellArgument*> arguments;
    /// Whether it is no command, but a list that none of the commands uses.
    bool isList = false;
    /// The config that the program reads: a file after the program or after --config. Null for none.
    const ShellWord* config = nullptr;
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

    /// Returns why a word has no one value, if a loop or a command like it sets the variable.
    /// \param name  what has the value: "--micro-batch-size"
    std::optional<ConfigError> loopError(std::string_view name, const ShellWord& word) const;
    /// Does the same if several assignments set the variable.
    std::optional<ConfigError> branchError(std::string_view name, const ShellWord& word) const;

    /// Returns the commands that pass options to a program.
    std::vector<ShellRun> runs() const;
    /// Number of processes that the launcher of the script starts on all nodes, by its options, by #SBATCH,
    /// or by variables that launchers read. Nothing if only a run would determine it.
    std::optional<std::int64_t> processes() const { return m_processes; }
    /// The place of that number, or of one factor of it.
    const std::optional<SourceLocation>& placeOfProcesses() const { return m_placeOfProcesses; }
    /// Whether a value is known because variables that count processes, and have no value, are taken for 1.
    bool isAssumed(const ShellWord& word) const;
    /// Returns a word without its quotes, with each variable as "${NAME}".
    std::string textAsWritten(const ShellWord& word) const;

    /// Returns the place to change for another value of an argument.
    ShellPlace placeOf(const ShellWord& value) const;
    /// Returns the bytes at which a variable is used, outside of comments.
    std::vector<std::size_t> usesOf(const std::string& variable) const;

private:
    void indexArguments();
    /// Sets the variables of Slurm that follow from #SBATCH lines.
    void readScheduler();
    void countProcesses();
    void assumeCounts();

    std::string m_text;
    ShellWords m_words;
    ShellVariables m_variables;
    std::vector<ShellArgument> m_arguments;
    std::optional<std::int64_t> m_processes;
    std::optional<SourceLocation> m_placeOfProcesses;
    /// The values without the assumptions on counts.
    ShellVariables m_certain;
};

/// Returns the change that gives an argument another value, at the place where its value is written.
OriginChange argumentChange(const ShellScript& script, const ShellArgument& argument,
                            const ShellWord& written, const std::string& value);

/// Returns the change that inserts an argument next to another one, on a line of its own if the other has
/// one. \param argument  text to insert: "--micro-batch-size 4"
TextPiece insertedArgument(const ShellScript& script, const ShellArgument& beside,
                           const std::string& argument);

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

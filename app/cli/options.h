// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command_tree.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace batchpeak::cli {

/// What the help says about a program as a whole.
struct Program
{
    std::string name;
    std::string description = {};
    std::string footer = {};
    /// The answer to --version; empty for a program without that option.
    std::string version = {};
};

/// The options and arguments of a program, or of one of its subcommands: declared first, then read from the
/// command line, and listed in the help in the order of their declaration.
///
/// This class decides which word is an option, a value or a command, and words the errors about words that
/// are missing or have no place. The function that takes a value decides which values are valid. CLI11 parses
/// the command line; only options.cpp includes it.
///
/// parse() fills the variables and calls the functions that are passed to this class; they must live until
/// then.
class Options
{
public:
    /// Takes the text of a value. If it throws a UsageError, the option's name is put before the sentence.
    using TakeText = std::function<void(const std::string&)>;

    /// The heading of options that the help does not list.
    static constexpr auto hidden = "";

    explicit Options(const Program& program);

    /// Adds a subcommand and returns its options, which follow its name on the command line.
    Options addCommand(const std::string& name, const std::string& summary);

    /// Puts options that are added from here on below this heading of the help, until endGroup().
    void beginGroup(const std::string& heading) { m_group = heading; }
    void endGroup() { m_group = defaultGroup; }

    /// Adds a positional argument such as FILE. addArguments() adds up to \p max of them, and addWord() one
    /// whose values \p words lists, such as "list|show".
    void addArgument(const std::string& name, const std::string& help, std::string& value);
    void addArguments(const std::string& name, const std::string& help, int max,
                      std::vector<std::string>& values);
    void addWord(const std::string& name, const std::string& words, const std::string& help,
                 std::string& value);

    /// Adds an option with one value: "--min N".
    /// \param valueName  placeholder of the value in the help
    void addText(const std::string& name, const std::string& valueName, const std::string& help,
                 const TakeText& take);
    void addText(const std::string& name, const std::string& valueName, const std::string& help,
                 std::string& value);

    /// Does the same for an option whose value may be omitted; it is then an empty text.
    void addTextOrNone(const std::string& name, const std::string& valueName, const std::string& help,
                       const TakeText& take);

    /// Adds an option with one value that can be given repeatedly, each time with one value.
    void addRepeatedText(const std::string& name, const std::string& valueName, const std::string& help,
                         const TakeText& takeEach);

    /// Adds an option without a value; "--name=off" revokes it.
    void addFlag(const std::string& name, const std::string& help, bool& value);
    void addFlag(const std::string& name, const std::string& help, const std::function<void(bool)>& take);

    /// Returns everything that was declared, including that of the commands. Options without a help text are
    /// omitted.
    DeclaredCommand declaration() const;

    /// Parses the words after the program's name. Answers --help and --version itself, on stdout.
    ///
    /// \return whether there is anything left to do
    /// \throws UsageError if a word is empty, not in UTF-8 or has no place, or an option lacks its value;
    ///         also everything that the functions that take the values throw
    bool parse(const std::vector<std::string>& words);

    /// Returns the name of the subcommand that was read, or nothing if there was none.
    std::optional<std::string> chosenCommand() const;

private:
    static constexpr auto defaultGroup = "Options";

    explicit Options(std::shared_ptr<CLI::App> app);

    std::shared_ptr<CLI::App> m_app;
    std::string m_group = defaultGroup;
};

/// Returns the word that was probably meant: the one reached with the fewest letters inserted, removed or
/// changed, if those are at most a third of \p typed. Returns nothing if no word is that close.
std::optional<std::string> closestWord(std::string_view typed, std::span<const std::string> words);

} // namespace batchpeak::cli

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

/// What the help says of a program as a whole.
struct Program
{
    std::string name;
    std::string description = {};
    std::string footer = {};
    /// Answers --version; empty for a program without that option.
    std::string version = {};
};

/// The options and arguments of a program, or of one of its subcommands: declared first, then read from the
/// command line, and listed in the help in the order of their declaration.
///
/// It decides which word is an option, a value or a command, and words what is missing or one too many. What
/// a value may be, who takes it decides. CLI11 does the reading and is included in options.cpp alone.
///
/// Variables and functions that are given to it are filled and called by parse(), and must live as long.
class Options
{
public:
    /// Takes the text of a value. Where it throws a UsageError, the option's name is put before the sentence.
    using TakeText = std::function<void(const std::string&)>;

    /// The heading of options that the help does not list.
    static constexpr auto hidden = "";

    explicit Options(const Program& program);

    /// The options of a subcommand, which stand behind its name.
    Options addCommand(const std::string& name, const std::string& summary);

    /// Options that are added from here on stand below this heading of the help, until endGroup().
    void beginGroup(const std::string& heading) { m_group = heading; }
    void endGroup() { m_group = defaultGroup; }

    /// A word without a name, as FILE; or up to so many of them; or one of those that \p words lists, as
    /// "list|show".
    void addArgument(const std::string& name, const std::string& help, std::string& value);
    void addArguments(const std::string& name, const std::string& help, int max,
                      std::vector<std::string>& values);
    void addWord(const std::string& name, const std::string& words, const std::string& help,
                 std::string& value);

    /// An option with one value: "--min N".
    /// \param valueName  stands for the value in the help
    void addText(const std::string& name, const std::string& valueName, const std::string& help,
                 const TakeText& take);
    void addText(const std::string& name, const std::string& valueName, const std::string& help,
                 std::string& value);

    /// The same with a value that may be left out, which is an empty text then.
    void addTextOrNone(const std::string& name, const std::string& valueName, const std::string& help,
                       const TakeText& take);

    /// An option with one value, and it can be given again, each time with one value.
    void addRepeatedText(const std::string& name, const std::string& valueName, const std::string& help,
                         const TakeText& takeEach);

    /// An option without a value; "--name=off" takes it back.
    void addFlag(const std::string& name, const std::string& help, bool& value);
    void addFlag(const std::string& name, const std::string& help, const std::function<void(bool)>& take);

    /// All that was declared, and of the commands too. What has no help is left out.
    DeclaredCommand declaration() const;

    /// Reads the words behind the program's name. Answers --help and --version itself, on stdout.
    ///
    /// \return whether there is more to do than that answer
    /// \throws UsageError where a word is empty, not in UTF-8 or has no place, or an option no value; and
    ///         what the functions that take the values throw
    bool parse(const std::vector<std::string>& words);

    /// The name of the subcommand that was read; nothing where there was none.
    std::optional<std::string> chosenCommand() const;

private:
    static constexpr auto defaultGroup = "Options";

    explicit Options(std::shared_ptr<CLI::App> app);

    std::shared_ptr<CLI::App> m_app;
    std::string m_group = defaultGroup;
};

/// The word that was probably meant: the one reached with the fewest letters put in, taken out or
/// changed, if those are at most a third of \p typed; nothing where none is that close.
std::optional<std::string> closestWord(std::string_view typed, std::span<const std::string> words);

} // namespace batchpeak::cli

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include "command.h"
#include "config_output.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <QByteArrayView>
#include <QString>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

namespace batchpeak::cli {

namespace {

/// Returns Levenshtein's distance, computed one row of the table at a time.
std::size_t editDistance(std::string_view from, std::string_view to)
{
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char letter : from) {
        std::size_t diagonal = row.front()++;
        for (std::size_t column = 1; column < row.size(); ++column) {
            const std::size_t changed = diagonal + (letter == to[column - 1] ? 0 : 1);
            diagonal = row[column];
            row[column] = std::min({row[column] + 1, row[column - 1] + 1, changed});
        }
    }
    return row.back();
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& words)
{
    const auto word = closestWord(typed, words);
    return word ? " Did you mean " + *word + "?" : std::string();
}

bool looksLikeAnOption(const std::string& word)
{
    return word.starts_with('-');
}

/// Returns the long names of the options of \p app, as they are typed.
std::vector<std::string> optionNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

std::vector<std::string> commandNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    return names;
}

std::string firstArgument(const CLI::App& app)
{
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() && option->count() > 0)
            return option->results().front();
    }
    return {};
}

/// \param command  the command as it is typed
/// \throws UsageError if \p app was given an argument that it has no place for
void refuseSurplus(const CLI::App& app, const std::string& command)
{
    const std::vector<std::string> surplus = app.remaining();
    if (surplus.empty())
        return;
    const std::string& first = surplus.front();
    if (looksLikeAnOption(first)) {
        const std::string name = first.substr(0, first.find('='));
        throw UsageError("there is no option " + name + "." + suggestion(name, optionNames(app)) + " `" +
                         command + " --help` lists them.");
    }
    throw UsageError("there is one argument too many, '" + first + "'; `" + command +
                     " --help` shows what can be given.");
}

/// Refuses an argument that is probably a mistyped command: an unknown command is parsed as the first
/// argument.
/// \throws UsageError if that is likely
void refuseMistypedCommand(const CLI::App& app)
{
    const std::vector<std::string> surplus = app.remaining();
    if (surplus.empty() || looksLikeAnOption(surplus.front()))
        return;
    const std::string typed = firstArgument(app);
    const std::string meant = suggestion(typed, commandNames(app));
    if (!meant.empty())
        throw UsageError("there is no command '" + typed + "'." + meant);
}

/// Whether \p word, as it is typed, is an option of \p app or of one of its commands.
bool isOption(const CLI::App& app, const std::string& word)
{
    const auto hasIt = [&word](const CLI::App* each) { return each->get_option_no_throw(word) != nullptr; };
    return looksLikeAnOption(word) && (hasIt(&app) || std::ranges::any_of(app.get_subcommands({}), hasIt));
}

bool isCommand(const CLI::App& app, const std::string& word)
{
    return std::ranges::any_of(app.get_subcommands({}),
                               [&word](const CLI::App* each) { return each->get_name() == word; });
}

/// Number of values that an option takes: 0 for a flag, and for a word that is not an option.
struct ValueCount
{
    int min = 0;
    int max = 0;
};
ValueCount valuesOf(const CLI::App& app, const std::string& word)
{
    std::vector<const CLI::App*> all = app.get_subcommands({});
    all.push_back(&app);
    for (const CLI::App* each : all) {
        if (const CLI::Option* option = looksLikeAnOption(word) ? each->get_option_no_throw(word) : nullptr)
            return {.min = option->get_items_expected_min(), .max = option->get_items_expected_max()};
    }
    return {};
}

/// Returns the words without "--". After "--" a word is neither an option nor a command, whatever it begins
/// with. CLI11 follows that only in some places, so such names of files get the prefix "./", the folder that
/// they are looked up in anyway.
std::vector<std::string> withoutEndOfOptions(const CLI::App& app, const std::vector<std::string>& words)
{
    std::vector<std::string> all;
    auto word = words.begin();
    for (; word != words.end() && *word != "--"; ++word) {
        all.push_back(*word);
        // The next word is its value, even if it is "--".
        if (valuesOf(app, *word).min > 0 && word + 1 != words.end())
            all.push_back(*++word);
    }
    if (word == words.end())
        return all;
    // It ends the values of an option whose value may be omitted; CLI11 removes it.
    if (!all.empty() && valuesOf(app, all.back()).max > 0)
        all.push_back(*word);
    const bool hasCommand = !all.empty() && isCommand(app, all.front());
    for (++word; word != words.end(); ++word) {
        const bool isTaken =
            (looksLikeAnOption(*word) && *word != "-") || (!hasCommand && isCommand(app, *word));
        all.push_back(isTaken ? "./" + *word : *word);
    }
    return all;
}

/// Refuses words in other encodings, which would name another file than the one that is meant.
/// \throws UsageError if one of \p words is not UTF-8
void refuseOtherEncodings(const std::vector<std::string>& words)
{
    for (const std::string& word : words) {
        if (!QByteArrayView(word).isValidUtf8()) {
            throw UsageError("'" + QString::fromStdString(word).toStdString() +
                             "' is not in UTF-8, in which names of files are read; rename the file.");
        }
    }
}

/// Refuses empty words: an empty text would count as no text, and the run would omit something that was asked
/// for.
/// \throws UsageError if one of \p words or the value of an option is empty
void refuseEmptyWords(const CLI::App& app, const std::vector<std::string>& words)
{
    std::string before;
    for (const std::string& word : words) {
        const bool hasNoValue = word.ends_with('=') && isOption(app, word.substr(0, word.size() - 1));
        if (hasNoValue || (word.empty() && isOption(app, before))) {
            throw UsageError((hasNoValue ? word.substr(0, word.size() - 1) : before) +
                             " has an empty value, as of a variable that is not set; give it one, or leave "
                             "the option out.");
        }
        if (word.empty()) {
            throw UsageError("an argument is empty, as of a variable that is not set; write what is meant, "
                             "or leave it out.");
        }
        before = word;
    }
}

/// \throws UsageError if words stand before the command that \p app was given
void refuseMisplaced(const CLI::App& app, const CLI::App& command)
{
    const auto isGiven = [](const CLI::Option* option) { return option->count() > 0; };
    if (std::ranges::any_of(app.get_options(), isGiven)) {
        throw UsageError("the command comes first, and all else after it: " + app.get_name() + " " +
                         command.get_name() + " FILE [options].");
    }
}

/// Rewords an error of CLI11, whose errors ("--min: 1 required N missing") read like notes to a programmer.
std::string sentenceFor(const CLI::ParseError& error, const CLI::App& app)
{
    std::string text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr)
        return text;
    // An option that the help does not list has no name in the error.
    const std::string option = text.starts_with(':') ? "an option" : text.substr(0, text.find(':'));
    const auto commands = app.get_subcommands();
    const std::string command = "batchpeak " + (commands.empty() ? "explore" : commands.front()->get_name());
    return option + " needs a value, and only one; `" + command + " --help` shows how to write it.";
}

DeclaredCommand declarationOf(const CLI::App& app)
{
    DeclaredCommand command{.name = app.get_name(), .summary = app.get_description()};
    for (const CLI::Option* option : app.get_options()) {
        const bool isFlag = option->get_items_expected_max() == 0;
        const auto& words = option->get_lnames();
        if (!option->get_description().empty())
            command.options.push_back({.name = option->get_positional() ? option->get_name(true)
                                               : words.empty()          ? "-" + option->get_snames().front()
                                                                        : "--" + words.front(),
                                       .help = option->get_description(),
                                       .values = isFlag ? std::string() : option->get_type_name(),
                                       .isRepeated = option->get_items_expected_max() > 1});
    }
    for (const CLI::App* each : app.get_subcommands({}))
        command.commands.push_back(declarationOf(*each));
    return command;
}

Options::TakeText namingTheOption(const std::string& name, const Options::TakeText& take)
{
    return [name, take](const std::string& text) {
        try {
            take(text);
        } catch (const engine::ValueError& error) {
            throw UsageError(error.quotingSentence(QString::fromStdString(name)).toStdString());
        } catch (const UsageError& error) {
            throw UsageError(name + ": " + error.what());
        }
    };
}

} // namespace

Options::Options(const Program& program)
    : Options(std::make_shared<CLI::App>(program.description, program.name))
{
    m_app->require_subcommand(0, 1);
    m_app->footer(program.footer);
    if (!program.version.empty())
        m_app->set_version_flag("--version", program.version, "Print the version and exit");
}

Options::Options(std::shared_ptr<CLI::App> app) : m_app(std::move(app))
{
    // This class refuses surplus words itself, with its own messages.
    m_app->allow_extras();
}

Options Options::addCommand(const std::string& name, const std::string& summary)
{
    CLI::App* command = m_app->add_subcommand(name, summary);
    command->footer("");
    return Options(m_app->get_subcommand_ptr(command));
}

void Options::addArgument(const std::string& name, const std::string& help, std::string& value)
{
    m_app->add_option(name, value, help)->type_name("")->group(m_group);
}

void Options::addArguments(const std::string& name, const std::string& help, int max,
                           std::vector<std::string>& values)
{
    m_app->add_option(name, values, help)->type_name("")->expected(0, max)->group(m_group);
}

void Options::addWord(const std::string& name, const std::string& words, const std::string& help,
                      std::string& value)
{
    m_app->add_option(name, value, help)->type_name(words)->group(m_group);
}

void Options::addText(const std::string& name, const std::string& valueName, const std::string& help,
                      const TakeText& take)
{
    m_app->add_option_function(name, namingTheOption(name, take), help)->type_name(valueName)->group(m_group);
}

void Options::addText(const std::string& name, const std::string& valueName, const std::string& help,
                      std::string& value)
{
    addText(name, valueName, help, [&value](const std::string& text) { value = text; });
}

void Options::addTextOrNone(const std::string& name, const std::string& valueName, const std::string& help,
                            const TakeText& take)
{
    const std::function<void(const std::vector<std::string>&)> takeFirst =
        [take = namingTheOption(name, take)](const std::vector<std::string>& texts) {
            take(texts.empty() ? std::string() : texts.front());
        };
    m_app->add_option_function(name, takeFirst, help)->expected(0, 1)->type_name(valueName)->group(m_group);
}

void Options::addRepeatedText(const std::string& name, const std::string& valueName, const std::string& help,
                              const TakeText& takeEach)
{
    const std::function<void(const std::vector<std::string>&)> takeAll =
        [take = namingTheOption(name.substr(0, name.find(',')), takeEach)](
            const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); };
    // The option takes one value each time that it is given; otherwise it would take the file after it as
    // well.
    m_app->add_option_function(name, takeAll, help)
        ->allow_extra_args(false)
        ->type_name(valueName)
        ->group(m_group);
}

void Options::addFlag(const std::string& name, const std::string& help, bool& value)
{
    m_app->add_flag(name, value, help)->group(m_group);
}

void Options::addFlag(const std::string& name, const std::string& help, const std::function<void(bool)>& take)
{
    // CLI11 counts how often it is given; "--name=off" counts as minus one.
    m_app
        ->add_flag_function(
            name, [take](std::int64_t times) { take(times > 0); }, help)
        ->group(m_group);
}

DeclaredCommand Options::declaration() const
{
    return declarationOf(*m_app);
}

bool Options::parse(const std::vector<std::string>& words)
{
    refuseOtherEncodings(words);
    refuseEmptyWords(*m_app, words);
    try {
        // CLI11 takes the last word first.
        std::vector<std::string> reversed = withoutEndOfOptions(*m_app, words);
        std::ranges::reverse(reversed);
        m_app->parse(std::move(reversed));
    } catch (const CLI::Success& request) {
        // CLI11 prints the help and the version.
        std::ostringstream text;
        m_app->exit(request, text, text);
        printBytes(text.str());
        return false;
    } catch (const CLI::ParseError& error) {
        throw UsageError(sentenceFor(error, *m_app));
    }

    const auto commands = m_app->get_subcommands();
    if (commands.empty())
        refuseMistypedCommand(*m_app);
    else
        refuseMisplaced(*m_app, *commands.front());
    refuseSurplus(*m_app, m_app->get_name());
    if (!commands.empty())
        refuseSurplus(*commands.front(), m_app->get_name() + " " + commands.front()->get_name());
    return true;
}

std::optional<std::string> Options::chosenCommand() const
{
    const auto commands = m_app->get_subcommands();
    return commands.empty() ? std::nullopt : std::optional(commands.front()->get_name());
}

std::optional<std::string> closestWord(std::string_view typed, std::span<const std::string> words)
{
    std::optional<std::string> closest;
    std::size_t min = typed.size() / 3 + 1;
    for (const std::string& word : words) {
        const std::size_t distance = editDistance(typed, word);
        if (distance < min) {
            min = distance;
            closest = word;
        }
    }
    return closest;
}

} // namespace batchpeak::cli

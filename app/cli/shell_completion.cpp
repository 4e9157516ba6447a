// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_completion.h"

#include "options/value_kinds.h"
#include "text/shell_quoting.h"

namespace batchpeak::cli {

namespace {

constexpr auto header = "# Made by 'batchpeak completion'. SPDX-License-Identifier: GPL-3.0-or-later\n";

using engine::inSingleQuotes;
using engine::ValueKinds;
using engine::valueKindsOf;

std::string joined(const std::vector<std::string>& words, const std::string& separator = " ")
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : separator) + word;
    return text;
}

std::vector<std::string> optionNames(const DeclaredCommand& command)
{
    std::vector<std::string> names;
    for (const DeclaredOption& option : command.options) {
        if (option.isNamed())
            names.push_back(option.name);
    }
    return names;
}

std::vector<std::string> commandNames(const DeclaredCommand& program)
{
    std::vector<std::string> names;
    for (const DeclaredCommand& command : program.commands)
        names.push_back(command.name);
    return names;
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t place = 0; (place = text.find(what, place)) != std::string::npos; place += by.size())
        text.replace(place, what.size(), by);
    return text;
}

// In fish a backslash means itself within single quotes, but for before a quote and another backslash.
std::string fishQuoted(const std::string& text)
{
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string bashReply(const ValueKinds& values)
{
    if (values.takesFiles)
        return "_batchpeak_files";
    if (values.takesFolders)
        return "_batchpeak_folders";
    if (values.takesCommands)
        return "_batchpeak_programs";
    return "_batchpeak_words " + inSingleQuotes(joined(values.words));
}

/// What stands behind an option that takes a value.
std::string bashValues(const DeclaredCommand& command)
{
    std::string cases;
    for (const DeclaredOption& option : command.options) {
        if (option.isNamed() && !option.values.empty())
            cases += "        '" + command.name + " " + option.name + "') " +
                     bashReply(valueKindsOf(option.values)) + "; return ;;\n";
    }
    return cases;
}

/// What stands where no option does.
std::string bashArguments(const DeclaredCommand& command)
{
    std::string options = inSingleQuotes(joined(optionNames(command)));
    std::vector<std::string> words = commandNames(command);
    bool takesFiles = false;
    for (const DeclaredOption& argument : command.options) {
        if (argument.isNamed())
            continue;
        const ValueKinds values = valueKindsOf(argument.values.empty() ? argument.name : argument.values);
        words.insert(words.end(), values.words.begin(), values.words.end());
        takesFiles = takesFiles || values.takesFiles;
    }
    std::string text = "        " + inSingleQuotes(command.name) + ") options=" + options;
    if (!words.empty())
        text += " words=" + inSingleQuotes(joined(words));
    return text + (takesFiles ? " files=1" : "") + " ;;\n";
}

std::string zshAction(const ValueKinds& values)
{
    if (values.takesFiles)
        return "_files";
    if (values.takesFolders)
        return "_files -/";
    if (values.takesCommands)
        return "_command_names";
    return values.words.empty() ? " " : "(" + joined(values.words) + ")";
}

/// A help between brackets, or a message between colons.
std::string zshText(const std::string& text)
{
    std::string escaped = text;
    for (const char* special : {"\\", "[", "]", ":"})
        escaped = replaced(escaped, special, "\\" + std::string(special));
    return escaped;
}

std::string zshSpec(const DeclaredOption& option, int place)
{
    const std::string values = option.values.empty() ? option.name : option.values;
    if (!option.isNamed())
        return inSingleQuotes(std::to_string(place) + ":" + zshText(option.name) + ":" +
                              zshAction(valueKindsOf(values)));
    std::string spec = (option.isRepeated ? "*" : "") + option.name + (option.values.empty() ? "" : "=") +
                       "[" + zshText(option.help) + "]";
    if (!option.values.empty())
        spec += ":" + zshText(values) + ":" + zshAction(valueKindsOf(values));
    return inSingleQuotes(spec);
}

std::string zshArguments(const DeclaredCommand& command, const std::string& indent)
{
    std::string text = indent + "_arguments -s";
    int place = 0;
    for (const DeclaredOption& option : command.options)
        text += " \\\n" + indent + "    " + zshSpec(option, option.isNamed() ? place : ++place);
    return text + "\n";
}

std::string fishValues(const ValueKinds& values)
{
    if (values.takesFiles)
        return " -r -F";
    if (values.takesFolders)
        return " -x -a '(__fish_complete_directories)'";
    if (values.takesCommands)
        return " -x -a '(__fish_complete_command)'";
    return values.words.empty() ? " -x" : " -x -a " + fishQuoted(joined(values.words));
}

/// \param condition  when it is offered
std::string fishLines(const DeclaredCommand& command, const std::string& condition)
{
    std::string lines;
    for (const DeclaredOption& option : command.options) {
        lines += "complete -c batchpeak -n " + fishQuoted(condition);
        const ValueKinds values = valueKindsOf(option.values.empty() ? option.name : option.values);
        if (option.isNamed())
            lines += " -l " + option.name.substr(2) + (option.values.empty() ? "" : fishValues(values)) +
                     " -d " + fishQuoted(option.help);
        else if (values.takesFiles)
            lines += " -F";
        else
            lines += " -a " + fishQuoted(joined(values.words));
        lines += "\n";
    }
    return lines;
}

} // namespace

std::string bashCompletion(const DeclaredCommand& program)
{
    std::string values;
    std::string arguments;
    // Without a command the program itself is meant.
    DeclaredCommand window = program;
    window.name.clear();
    for (const DeclaredCommand& command : program.commands) {
        values += bashValues(command);
        arguments += bashArguments(command);
    }
    values += bashValues(window);
    arguments += bashArguments(window);
    return std::string("# bash completion for batchpeak\n") + header + R"(
# Bash expands the words, with $(...) in them: none may come from elsewhere.
_batchpeak_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_batchpeak_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); }
_batchpeak_folders() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); }
_batchpeak_programs()
{
    local name
    mapfile -t COMPREPLY < <(compgen -c -- "$current" | while IFS= read -r name; do printf '%q\n' "$name"; done)
}

_batchpeak()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= options= words= files=
    COMPREPLY=()
    # "--name=value" comes in three words.
    if [[ $current == '=' ]]; then
        current=
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD > 1)) && [[ " )" +
           joined(commandNames(program)) + R"( " == *" ${COMP_WORDS[1]} "* ]]; then
        command=${COMP_WORDS[1]}
    fi
    case "$command $previous" in
)" + values +
           R"(    esac
    case "$command" in
)" + arguments +
           R"(    esac
    if [[ $current == -* ]]; then
        _batchpeak_words "$options"
        return
    fi
    ((COMP_CWORD > 1)) && [[ -z $command ]] && words=
    if [[ -n $files ]]; then
        _batchpeak_files
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$current")
    else
        _batchpeak_words "$words"
    fi
}
complete -F _batchpeak batchpeak
)";
}

std::string zshCompletion(const DeclaredCommand& program)
{
    std::string summaries;
    std::string cases;
    for (const DeclaredCommand& command : program.commands) {
        summaries += "            " + inSingleQuotes(command.name + ":" + zshText(command.summary)) + "\n";
        cases += "            " + command.name +
                 ")\n                shift words\n                (( CURRENT-- ))\n" +
                 zshArguments(command, "                ") + "                return ;;\n";
    }
    return std::string("#compdef batchpeak\n") + header + R"(
_batchpeak() {
    if (( CURRENT > 2 )); then
        case $words[2] in
)" + cases +
           R"(        esac
    else
        local -a commands=(
)" + summaries +
           R"(        )
        _describe -t commands command commands
    fi
)" + zshArguments(program, "    ") +
           R"(}

_batchpeak "$@"
)";
}

std::string fishCompletion(const DeclaredCommand& program)
{
    std::string text = std::string("# fish completion for batchpeak\n") + header + R"(
complete -c batchpeak -f
)";
    for (const DeclaredCommand& command : program.commands)
        text += "complete -c batchpeak -n __fish_use_subcommand -a " + command.name + " -d " +
                fishQuoted(command.summary) + "\n";
    for (const DeclaredCommand& command : program.commands)
        text += fishLines(command, "__fish_seen_subcommand_from " + command.name);
    const std::string none = "not __fish_seen_subcommand_from " + joined(commandNames(program));
    return text + fishLines(program, none);
}

} // namespace batchpeak::cli

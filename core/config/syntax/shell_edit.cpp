// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_edit.h"

#include "shell_piece_reader.h"
#include "text_check.h"

#include <algorithm>
#include <vector>

namespace batchpeak::config {

namespace {

std::string lineOf(const ShellScript& script, std::size_t byte)
{
    return "Line " + std::to_string(positionIn(script.text(), byte).line);
}

/// The one of that name that has a value; null where there is none.
const ShellArgument* onlyArgument(const ShellScript& script, std::string_view name)
{
    std::vector<const ShellArgument*> found = script.arguments(name);
    std::erase_if(found, [](const ShellArgument* argument) { return argument->values.empty(); });
    if (found.size() < 2)
        return found.empty() ? nullptr : found.front();
    const TextPosition last = positionIn(script.text(), found.back()->begin);
    throw ConfigError("The argument " + std::string(name) + " stands " + std::to_string(found.size()) +
                          " times in the script, first in line " +
                          std::to_string(positionIn(script.text(), found.front()->begin).line) +
                          "; leave the one that counts, or change it by hand.",
                      last);
}

/// Where else a variable that changes is used.
void noteUses(const ShellScript& script, const std::string& variable, const ShellPlace& place,
              std::vector<std::string>& notes)
{
    constexpr std::size_t most = 8;
    std::vector<std::size_t> uses = script.usesOf(variable);
    std::erase_if(uses, [&](std::size_t use) {
        return std::ranges::find(place.references, use) != place.references.end();
    });
    for (std::size_t i = 0; i < std::min(uses.size(), most); ++i) {
        std::string note =
            lineOf(script, uses[i]) + " changes with it, because it uses " + variable + " too.";
        if (notes.empty() || notes.back() != note)
            notes.push_back(std::move(note));
    }
    if (uses.size() > most) {
        notes.push_back(std::to_string(uses.size() - most) + " more uses of " + variable +
                        " change with it, the last in line " +
                        std::to_string(positionIn(script.text(), uses.back()).line) + ".");
    }
}

std::vector<std::string> notesOf(const ShellScript& script, const ShellArgument& argument,
                                 const ShellPlace& place)
{
    std::vector<std::string> notes;
    const std::string written = script.text().substr(place.begin, place.end - place.begin);
    if (place.isExpression)
        notes.push_back(lineOf(script, place.begin) + " had " + written + " for " + argument.name +
                        ", and has a number of its own now.");
    if (place.environment)
        notes.push_back("The size is the default of " + *place.environment +
                        ", so that the environment of the run can still set another.");
    for (const std::string& variable : place.variables)
        noteUses(script, variable, place, notes);
    return notes;
}

std::string lineEnd(const std::string& text)
{
    return text.find("\r\n") != std::string::npos ? "\r\n" : "\n";
}

/// Nothing but blanks, a comment, or a backslash.
bool isLineRest(std::string_view rest)
{
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    return rest.empty() || rest.starts_with('#') || rest == "\\" || rest == "\\\r";
}

bool endsContinued(std::string_view line)
{
    return line.ends_with('\\') || line.ends_with("\\\r");
}

/// \param argument  as it is to stand: "--micro-batch-size 4"
std::string inserted(const std::string& text, const ShellArgument& beside, const std::string& argument)
{
    const std::size_t begin = beside.begin == 0 ? 0 : text.rfind('\n', beside.begin - 1) + 1;
    const std::size_t end = std::min(text.find('\n', beside.end), text.size());
    const std::string_view view = text;
    const std::string_view indent = view.substr(begin, beside.begin - begin);
    const bool isAlone = indent.find_first_not_of(" \t") == std::string_view::npos &&
                         isLineRest(view.substr(beside.end, end - beside.end));
    if (!isAlone)
        return std::string(text).insert(beside.begin, argument + " ");
    const std::size_t before = begin < 2 ? 0 : view.rfind('\n', begin - 2) + 1;
    const bool isContinued = endsContinued(view.substr(before, begin == 0 ? 0 : begin - 1 - before)) ||
                             endsContinued(view.substr(beside.end, end - beside.end));
    return std::string(text).insert(begin, std::string(indent) + argument + (isContinued ? " \\" : "") +
                                               lineEnd(text));
}

} // namespace

SplicedText withArgument(const ShellScript& script, std::string_view name, const std::string& value,
                         std::string_view beside)
{
    if (const ShellArgument* argument = onlyArgument(script, name)) {
        if (script.valueOf(argument->values.front()) == value)
            return {.text = script.text()};
        const ShellPlace place = script.placeOf(argument->values.front());
        return {.text = std::string(script.text()).replace(place.begin, place.end - place.begin, value),
                .notes = notesOf(script, *argument, place)};
    }
    const ShellArgument* neighbour = onlyArgument(script, beside);
    if (!neighbour) {
        throw ConfigError("The script has no " + std::string(name) + ", and no " + std::string(beside) +
                          " beside which it could be written; add it by hand.");
    }
    const std::string argument = std::string(name) + (neighbour->isJoined ? "=" : " ") + value;
    return {.text = inserted(script.text(), *neighbour, argument)};
}

} // namespace batchpeak::config

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_script.h"

#include "text_check.h"
#include "words.h"

#include <algorithm>

namespace batchpeak::config {

bool mayNameBatch(std::string_view text)
{
    return text.size() <= maxScriptBytes && text.find("batch") != std::string_view::npos;
}

namespace {

using Kind = ShellPiece::Kind;

// Longer chains of variables are cycles, or not written by a person.
constexpr std::size_t maxVariables = 32;

std::string withDashes(std::string_view name)
{
    std::string result(name);
    std::ranges::replace(result, '_', '-');
    return result;
}

bool isNamePart(char character)
{
    return (character >= '0' && character <= '9') || shellNameSize(std::string_view(&character, 1)) > 0;
}

/// Returns the number of bytes of "--name" or "--group.name" at the beginning of a word; 0 if it is not an
/// option.
std::size_t optionSize(const ShellWord& word)
{
    if (word.isProse || word.pieces.empty() || word.pieces.front().kind != Kind::Literal)
        return 0;
    const std::string& text = word.pieces.front().text;
    if (!text.starts_with("--") || shellNameSize(std::string_view(text).substr(2)) == 0)
        return 0;
    const auto isPart = [](char character) {
        return isNamePart(character) || character == '-' || character == '.';
    };
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, isPart) - text.begin());
    const bool isWhole = end == text.size() && word.pieces.size() == 1;
    return isWhole || (end < text.size() && text[end] == '=') ? end : 0;
}

/// Returns the number of bytes of "group.name", after "+" or "++", in a word that sets it; 0 in any other
/// word. A name without a dot is a setting only beside others with one, but a variable before a command.
std::size_t settingSize(const ShellWord& word)
{
    if (word.isProse || word.pieces.empty() || word.pieces.front().kind != Kind::Literal)
        return 0;
    const std::string& text = word.pieces.front().text;
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const std::size_t begin = std::min(name.find_first_not_of('+'), name.size());
    const auto isPart = [](char character) { return isNamePart(character) || character == '.'; };
    const bool isName =
        shellNameSize(name.substr(begin)) > 0 && std::ranges::all_of(name.substr(begin), isPart);
    return equals != std::string::npos && begin <= 2 && isName ? equals : 0;
}

/// Returns the value after the equals sign.
ShellWord joinedValue(ShellWord word, std::size_t skipped)
{
    ShellPiece& first = word.pieces.front();
    const bool isBare = first.text.size() == first.end - first.begin;
    first.text.erase(0, skipped);
    if (isBare)
        first.begin += skipped;
    word.begin = isBare ? first.begin : word.begin;
    if (first.text.empty())
        word.pieces.erase(word.pieces.begin());
    return word;
}

/// Whether a position is between (( and )) of one line, where a name needs no dollar sign.
bool isInArithmetic(std::string_view before)
{
    // Longer expressions are not searched.
    constexpr std::size_t reach = 256;
    before = before.substr(before.size() - std::min(before.size(), reach));
    before = before.substr(before.rfind('\n') + 1);
    const std::size_t opening = before.rfind("((");
    const std::size_t closing = before.rfind("))");
    const bool isOpen =
        opening != std::string_view::npos && (closing == std::string_view::npos || closing < opening);
    return isOpen && !isNamePart(before.back());
}

} // namespace

ShellScript::ShellScript(std::string text)
    : m_text(std::move(text)),
      m_words(shellWords(m_text)),
      m_variables(m_text, m_words),
      m_certain(m_text, m_words)
{
    readScheduler();
    indexArguments();
    countProcesses();
    m_certain = m_variables;
    assumeCounts();
}

void ShellScript::indexArguments()
{
    const ShellWord* last = nullptr;
    for (const ShellWord& word : m_words.words) {
        if (const std::size_t size = optionSize(word)) {
            const std::string& text = word.pieces.front().text;
            ShellArgument argument{.name = withDashes(std::string_view(text).substr(0, size)),
                                   .isJoined = size < text.size(),
                                   .begin = word.begin,
                                   .end = word.end,
                                   .command = word.command};
            if (argument.isJoined)
                argument.values.push_back(joinedValue(word, size + 1));
            m_arguments.push_back(std::move(argument));
            last = &word;
        } else if (const std::size_t setting = settingSize(word)) {
            const std::string_view text = std::string_view(word.pieces.front().text).substr(0, setting);
            m_arguments.push_back({.name = std::string(text.substr(text.find_first_not_of('+'))),
                                   .values = {joinedValue(word, setting + 1)},
                                   .isJoined = true,
                                   .begin = word.begin,
                                   .end = word.end,
                                   .command = word.command});
            last = &word;
        } else if (last && word.command == last->command && !m_arguments.back().isJoined) {
            ShellArgument& argument = m_arguments.back();
            argument.end = argument.values.empty() ? word.end : argument.end;
            argument.values.push_back(word);
        }
    }
}

std::vector<const ShellArgument*> ShellScript::arguments(std::string_view name) const
{
    std::vector<const ShellArgument*> found;
    for (const ShellArgument& argument : m_arguments) {
        if (argument.name == name)
            found.push_back(&argument);
    }
    return found;
}

const ShellArgument* ShellScript::argument(std::string_view name) const
{
    const auto found = arguments(name);
    const auto last = std::find_if(found.rbegin(), found.rend(),
                                   [](const ShellArgument* argument) { return !argument->values.empty(); });
    if (last != found.rend())
        return *last;
    return found.empty() ? nullptr : found.back();
}

TextPosition ShellScript::positionOf(std::string_view name) const
{
    const ShellArgument* found = argument(name);
    if (!found)
        return positionIn(m_text, 0);
    return positionIn(m_text, found->values.empty() ? found->begin : found->values.front().begin);
}

std::optional<TextPosition> ShellScript::valuePositionOf(std::string_view name) const
{
    const ShellArgument* found = argument(name);
    if (!found)
        return std::nullopt;
    return positionIn(m_text, found->values.empty() ? found->begin : placeOf(found->values.front()).begin);
}

std::optional<std::string> ShellScript::value(std::string_view name) const
{
    const ShellArgument* found = argument(name);
    return found && !found->values.empty() ? valueOf(found->values.front()) : std::nullopt;
}

std::optional<std::string> ShellScript::valueOf(const ShellWord& word) const
{
    return m_variables.textOf(word.pieces);
}

std::optional<std::string> ShellScript::variable(const std::string& name) const
{
    return m_variables.valueOf(name);
}

bool ShellScript::isAssumed(const ShellWord& word) const
{
    return m_variables.textOf(word.pieces) && !m_certain.textOf(word.pieces);
}

std::string ShellScript::textAsWritten(const ShellWord& word) const
{
    std::string text;
    for (const ShellPiece& piece : word.pieces)
        text += piece.kind == Kind::Variable ? "${" + piece.text + "}" : piece.text;
    return text;
}

std::optional<ConfigError> ShellScript::loopError(std::string_view name, const ShellWord& word) const
{
    for (const ShellPiece& piece : word.pieces) {
        const auto command =
            piece.kind == Kind::Variable ? m_variables.commandAssigning(piece.text) : std::nullopt;
        if (!command)
            continue;
        const TextPosition position = positionIn(m_text, *command);
        return errorAt(position,
                       "The value of {} is {}, to which line {} gives one value after another, or what is "
                       "typed, so these are several runs; "
                       "write the number of one run into a copy of the script, and open the copy.",
                       name, m_text.substr(word.begin, word.end - word.begin), position.line);
    }
    return std::nullopt;
}

std::optional<ConfigError> ShellScript::branchError(std::string_view name, const ShellWord& word) const
{
    for (const ShellPiece& piece : word.pieces) {
        const std::vector<std::size_t> assigned =
            piece.kind == Kind::Variable ? m_variables.assignmentsOf(piece.text) : std::vector<std::size_t>();
        if (assigned.size() < 2)
            continue;
        std::vector<std::string> lines;
        lines.reserve(assigned.size());
        for (std::size_t byte : assigned)
            lines.push_back(std::to_string(positionIn(m_text, byte).line));
        return errorAt(
            positionIn(m_text, assigned.front()),
            "The value of {} is {}, to which the script assigns several values (lines {}), and only a "
            "run tells which one; write the number of one run into a copy of the script, and open "
            "the copy.",
            name, m_text.substr(word.begin, word.end - word.begin),
            listed(std::vector<std::string_view>(lines.begin(), lines.end())));
    }
    return std::nullopt;
}

ShellPlace ShellScript::placeOf(const ShellWord& value) const
{
    ShellPlace place{.begin = value.begin, .end = value.end};
    std::vector<ShellPiece> pieces = value.pieces;
    while (pieces.size() == 1 && pieces.front().kind == Kind::Variable) {
        const ShellPiece piece = pieces.front();
        const bool isOpen = std::ranges::find(place.variables, piece.text) != place.variables.end();
        const bool isFollowed = !isOpen && place.variables.size() < maxVariables;
        if (const ShellWord* assigned = isFollowed ? m_variables.onlyValue(piece.text) : nullptr) {
            place.variables.push_back(piece.text);
            place.begin = assigned->begin;
            place.end = assigned->end;
            pieces = assigned->pieces;
        } else if (piece.hasFallback && (isOpen || !m_variables.isAssigned(piece.text)) &&
                   !place.environment) {
            place.environment = piece.text;
            place.begin = piece.fallbackBegin;
            place.end = piece.fallbackEnd;
            pieces = shellPieces(m_text, piece.fallbackBegin, piece.fallbackEnd);
        } else {
            place.isExpression = true;
            return place;
        }
        place.references.push_back(piece.begin);
    }
    const bool isOne = pieces.size() == 1;
    const bool isBare = isOne && pieces.front().text.size() == pieces.front().end - pieces.front().begin;
    place.isExpression =
        std::ranges::any_of(pieces, [](const ShellPiece& piece) { return piece.kind != Kind::Literal; });
    // The quotes around a number are kept.
    if (isOne && (isBare || pieces.front().kind == Kind::Arithmetic)) {
        place.begin = pieces.front().begin;
        place.end = pieces.front().end;
    }
    return place;
}

std::vector<std::size_t> ShellScript::usesOf(const std::string& variable) const
{
    std::vector<std::size_t> uses;
    auto comment = m_words.comments.begin();
    for (std::size_t at = m_text.find(variable); at != std::string::npos;
         at = m_text.find(variable, at + 1)) {
        const std::string_view rest = std::string_view(m_text).substr(at);
        const bool isWhole = shellNameSize(rest) == variable.size();
        const std::string_view before = std::string_view(m_text).substr(0, at);
        const bool isBraced = before.ends_with("${");
        while (comment != m_words.comments.end() && comment->second <= at)
            ++comment;
        const bool isComment = comment != m_words.comments.end() && comment->first <= at;
        if (isWhole && !isComment && (isBraced || before.ends_with('$')))
            uses.push_back(at - (isBraced ? 2 : 1));
        else if (isWhole && !isComment && isInArithmetic(before))
            uses.push_back(at);
    }
    return uses;
}

namespace {

int lineOf(const ShellScript& script, std::size_t byte)
{
    return positionIn(script.text(), byte).line;
}

/// Returns the only argument of that name with a value, or nullptr if there is none.
/// \throws ConfigError if there are several
const ShellArgument* onlyArgument(const ShellScript& script, std::string_view name)
{
    std::vector<const ShellArgument*> found = script.arguments(name);
    std::erase_if(found, [](const ShellArgument* argument) { return argument->values.empty(); });
    if (found.size() < 2)
        return found.empty() ? nullptr : found.front();
    throw errorAt(positionIn(script.text(), found.back()->begin),
                  "The argument {} stands {} times in the script, first in line {}; leave the one that "
                  "counts, or change it by hand.",
                  name, found.size(), lineOf(script, found.front()->begin));
}

/// Adds notes on all other places that use a variable that changes.
void noteUses(const ShellScript& script, const std::string& variable, const ShellPlace& place,
              std::vector<std::string>& notes)
{
    constexpr std::size_t max = 8;
    std::vector<std::size_t> uses = script.usesOf(variable);
    std::erase_if(uses, [&](std::size_t use) {
        return std::ranges::find(place.references, use) != place.references.end();
    });
    for (std::size_t i = 0; i < std::min(uses.size(), max); ++i) {
        std::string note =
            sentence("Line {} changes with it, because it uses {} too.", lineOf(script, uses[i]), variable);
        if (notes.empty() || notes.back() != note)
            notes.push_back(std::move(note));
    }
    if (uses.size() > max)
        notes.push_back(sentence("{} more uses of {} change with it, the last in line {}.", uses.size() - max,
                                 variable, lineOf(script, uses.back())));
}

std::vector<std::string> notesOf(const ShellScript& script, const ShellArgument& argument,
                                 const ShellPlace& place)
{
    std::vector<std::string> notes;
    const std::string written = script.text().substr(place.begin, place.end - place.begin);
    if (place.isExpression)
        notes.push_back(sentence("Line {} had {} for {}, and has a number of its own now.",
                                 lineOf(script, place.begin), written, argument.name));
    if (place.environment && shellNameSize(*place.environment) == 0) {
        notes.push_back(
            sentence("The size is the default of the script's argument {}, which can still set another.",
                     *place.environment));
    } else if (place.environment)
        notes.push_back(
            sentence("The size is the default of {}, so the environment of the run can still set another.",
                     *place.environment));
    for (const std::string& variable : place.variables)
        noteUses(script, variable, place, notes);
    return notes;
}

/// Whether the rest of a line is only blanks, a comment, or a backslash.
bool isLineRest(std::string_view rest)
{
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    return rest.empty() || rest.starts_with('#') || rest == "\\" || rest == "\\\r";
}

bool endsContinued(std::string_view line)
{
    return line.ends_with('\\') || line.ends_with("\\\r");
}

} // namespace

OriginChange argumentChange(const ShellScript& script, const ShellArgument& argument,
                            const ShellWord& written, const std::string& value)
{
    const ShellPlace place = script.placeOf(written);
    return {.piece = {place.begin, place.end, value}, .notes = notesOf(script, argument, place)};
}

TextPiece insertedArgument(const ShellScript& script, const ShellArgument& beside,
                           const std::string& argument)
{
    const std::string& text = script.text();
    const std::size_t begin = beside.begin == 0 ? 0 : text.rfind('\n', beside.begin - 1) + 1;
    const std::size_t end = std::min(text.find('\n', beside.end), text.size());
    const std::string_view view = text;
    const std::string_view indent = view.substr(begin, beside.begin - begin);
    const bool isAlone = indent.find_first_not_of(" \t") == std::string_view::npos &&
                         isLineRest(view.substr(beside.end, end - beside.end));
    if (!isAlone)
        return {beside.begin, beside.begin, argument + " "};
    const std::size_t before = begin < 2 ? 0 : view.rfind('\n', begin - 2) + 1;
    const bool isContinued = endsContinued(view.substr(before, begin == 0 ? 0 : begin - 1 - before)) ||
                             endsContinued(view.substr(beside.end, end - beside.end));
    return {begin, begin,
            std::string(indent) + argument + (isContinued ? " \\" : "") +
                (text.find("\r\n") != std::string::npos ? "\r\n" : "\n")};
}

SplicedText withArgument(const ShellScript& script, std::string_view name, const std::string& value,
                         std::string_view beside)
{
    if (const ShellArgument* argument = onlyArgument(script, name)) {
        if (script.valueOf(argument->values.front()) == value)
            return {.text = script.text()};
        OriginChange change = argumentChange(script, *argument, argument->values.front(), value);
        return {.text = withPieces(script.text(), {change.piece}), .notes = std::move(change.notes)};
    }
    const ShellArgument* neighbor = onlyArgument(script, beside);
    if (!neighbor) {
        throw errorAt({}, "The script has no {}, and no {} beside which it could be written; add it by hand.",
                      name, beside);
    }
    const std::string argument = std::string(name) + (neighbor->isJoined ? "=" : " ") + value;
    return {.text = withPieces(script.text(), {insertedArgument(script, *neighbor, argument)})};
}

} // namespace batchpeak::config

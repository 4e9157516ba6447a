// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"
#include "options/option_table.h"
#include "syntax/shell_words.h"

#include <QProcess>

namespace batchpeak::fuzz {

namespace {

void requirePlace(std::size_t begin, std::size_t end, std::string_view text)
{
    require(begin <= end && end <= text.size(), "a part lies in its text", std::string(text));
}

void checkShellWords(std::string_view text)
{
    const config::ShellWords words = config::shellWords(text);
    for (const config::ShellWord& word : words.words) {
        requirePlace(word.begin, word.end, text);
        require(word.command <= words.commands, "a word has a command", std::string(text));
        for (const config::ShellPiece& piece : word.pieces) {
            requirePlace(piece.begin, piece.end, text);
            if (piece.hasFallback)
                requirePlace(piece.fallbackBegin, piece.fallbackEnd, text);
        }
    }
    for (const config::ShellAssignment& assignment : words.assignments)
        requirePlace(assignment.begin, assignment.begin + assignment.name.size(), text);
    for (const auto& [begin, end] : words.comments)
        requirePlace(begin, end, text);
}

/// Checks that options are read as they are written, for the words of a launcher or of a command in the
/// history.
void checkOptions(std::string_view text)
{
    const QStringList words = QProcess::splitCommand(QString::fromUtf8(text.data(), qsizetype(text.size())));
    const engine::ExplorationOptions options = engine::optionsFrom(words);
    const QStringList written = engine::wordsFor(options);
    require(engine::wordsFor(engine::optionsFrom(written)) == written, "options are read as they are written",
            written.join(QLatin1Char(' ')).toStdString());
}

} // namespace

void run(std::string_view text)
{
    checkShellWords(text);
    checkOptions(text);
}

} // namespace batchpeak::fuzz

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "progress_line.h"
#include "snapshot/snapshot.h"
#include "words/styled_text.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstdio>
#include <vector>

namespace batchpeak::cli {

/// Whether styles show. Auto: on a terminal that knows them, unless the environment variable NO_COLOR
/// (no-color.org) asks for none.
enum class Colors { Auto, Always, Never };

/// The terminal of one command: answers go to one stream, everything said on the way to stderr, and
/// where stderr is a terminal one live line stands below all of it.
///
/// It decides where words go, whether in colors, and keeps the live line from mixing with them; not what is
/// said. Words are English whatever the locale, since scripts read them. Control sequences are those of its
/// own colors and live line, whatever is in the words; what is no terminal gets none, unless colors are
/// asked for.
class Console
{
public:
    /// \param answers  stdout, or stderr where stdout carries something else
    explicit Console(std::FILE* answers = stdout, Colors colors = Colors::Auto);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    void answer(const StyledText& line);
    void answer(const QStringList& lines);
    /// What a file holds, without a line end of ours: byte by byte, but visible on a terminal.
    void quote(const QByteArray& bytes);
    void remark(const StyledText& line);
    void remark(const QStringList& lines);

    bool showsLiveLine() const { return m_showsLiveLine; }
    /// Draws the live line anew, as much of it as the terminal has room for at present; an empty one takes it
    /// away.
    void setLiveLine(const ProgressLine& line);

private:
    void write(std::FILE* stream, const StyledText& line);
    QString drawn(std::FILE* stream, const StyledText& line) const;

    std::FILE* m_answers;
    Colors m_colors;
    bool m_showsLiveLine = false;
    StyledText m_liveLine;
};

/// Prints the lines of a log that grows, each once.
class LogPrinter
{
public:
    /// \param least  level of what is printed; of an exploration other lines say what is below a warning
    explicit LogPrinter(Console& console, engine::LogLevel min = engine::LogLevel::Warning)
        : m_console(console), m_least(min)
    {}

    /// From now on.
    void printOnly(engine::LogLevel min) { m_least = min; }
    /// \param saidElsewhere  text that is left out, since it stands among the last lines
    void print(const std::vector<engine::LogLine>& log, const QString& saidElsewhere);

private:
    Console& m_console;
    engine::LogLevel m_least;
    engine::LogLine m_last;
};

/// What a command ends with, where it would end with \p code: a script that reads answers has to know that
/// some are missing. Says so on stderr.
int codeWithAnswers(int code);

/// Whether a path stands for stdout: -, and what leads to the file or pipe that it is, as /dev/stdout does.
/// Opened a second time, a file would be written over what stands there. Terminals and devices can be.
bool leadsToStdout(const QString& path);

/// "batchpeak: " and the sentence, on stderr.
void printError(const QString& sentence);

} // namespace batchpeak::cli

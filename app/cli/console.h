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

/// When styles are shown. Auto shows them on a terminal that supports them, unless the environment variable
/// NO_COLOR (no-color.org) is set and not empty.
enum class Colors { Auto, Always, Never };

/// The terminal of one command. Answers go to one stream; everything else that is printed goes to stderr. If
/// stderr is a terminal, one live line stands below all other lines.
///
/// This class decides where text goes and whether it is colored, and keeps the live line from mixing with
/// other lines. It does not decide what is printed. Text is English in every locale, since scripts read it. A
/// terminal receives only the control sequences of this class's own colors and live line, whatever the text
/// holds. A stream that is not a terminal receives none, unless colors are requested.
class Console
{
public:
    /// \param answers  stdout, or stderr if stdout carries something else
    explicit Console(std::FILE* answers = stdout, Colors colors = Colors::Auto);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    void answer(const StyledText& line);
    void answer(const QStringList& lines);
    /// Prints the content of a file without adding a line end: byte by byte, but with visible control
    /// characters on a terminal.
    void quote(const QByteArray& bytes);
    void remark(const StyledText& line);
    void remark(const QStringList& lines);

    bool showsLiveLine() const { return m_showsLiveLine; }
    /// Redraws the live line, as much of it as fits into the terminal at present. An empty line removes it.
    void setLiveLine(const ProgressLine& line);

private:
    void write(std::FILE* stream, const StyledText& line);
    QString drawn(std::FILE* stream, const StyledText& line) const;

    std::FILE* m_answers;
    Colors m_colors;
    bool m_showsLiveLine = false;
    StyledText m_liveLine;
};

/// Prints each line of a growing log once.
class LogPrinter
{
public:
    /// \param min  lowest level that is printed; for an exploration, other lines tell what is below a warning
    explicit LogPrinter(Console& console, engine::LogLevel min = engine::LogLevel::Warning)
        : m_console(console), m_least(min)
    {}

    /// Sets the lowest level that is printed from now on.
    void printOnly(engine::LogLevel min) { m_least = min; }
    /// \param saidElsewhere  text that is not printed, since the last lines contain it
    void print(const std::vector<engine::LogLine>& log, const QString& saidElsewhere);

private:
    Console& m_console;
    engine::LogLevel m_least;
    engine::LogLine m_last;
};

/// Returns the exit code of a command that would otherwise end with \p code. A script that reads answers has
/// to know if some are missing. Reports that on stderr.
int codeWithAnswers(int code);

/// Whether a path stands for stdout: -, or a path of the file or pipe that stdout is, such as /dev/stdout. A
/// file that is opened a second time would be written over what is already there. Terminals and devices can
/// be opened twice, so they do not count.
bool leadsToStdout(const QString& path);

/// Prints "batchpeak: " and the sentence on stderr.
void printError(const QString& sentence);

} // namespace batchpeak::cli

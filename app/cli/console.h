// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QString>
#include <QStringList>

#include <cstdio>
#include <vector>

namespace batchpeak::cli {

/// The terminal of one command: answers go to one stream, everything said on the way to stderr, and
/// where stderr is a terminal one live line stands below all of it.
///
/// It decides where words go and keeps the live line from mixing with them; not what is said. Words
/// are English whatever the locale, since scripts read them.
class Console
{
public:
    /// \param answers  stdout, or stderr where stdout carries something else
    explicit Console(std::FILE* answers = stdout);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    void answer(const QString& line);
    void answer(const QStringList& lines);
    void remark(const QString& line);
    void remark(const QStringList& lines);

    bool showsLiveLine() const { return m_showsLiveLine; }
    /// Draws the live line anew, cut to the width of the terminal; an empty one takes it away.
    void setLiveLine(const QString& line);

private:
    void write(std::FILE* stream, const QString& line);

    std::FILE* m_answers;
    bool m_showsLiveLine = false;
    QString m_liveLine;
};

/// Prints the lines of a log that grows, each once.
class LogPrinter
{
public:
    /// \param least  level of what is printed; of an exploration other lines say what is below a warning
    explicit LogPrinter(Console& console, engine::LogLevel least = engine::LogLevel::Warning)
        : m_console(console), m_least(least)
    {}

    /// \param saidElsewhere  text that is left out, since it stands among the last lines
    void print(const std::vector<engine::LogLine>& log, const QString& saidElsewhere);

private:
    Console& m_console;
    engine::LogLevel m_least;
    engine::LogLine m_last;
};

/// "batchpeak: " and the sentence, on stderr.
void printError(const QString& sentence);

} // namespace batchpeak::cli

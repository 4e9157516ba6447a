// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdio>

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
    void remark(const QString& line);

    bool showsLiveLine() const { return m_showsLiveLine; }
    /// Draws the live line anew, cut to the width of the terminal; an empty one takes it away.
    void setLiveLine(const QString& line);

private:
    void write(std::FILE* stream, const QString& line);

    std::FILE* m_answers;
    bool m_showsLiveLine = false;
    QString m_liveLine;
};

/// "batchpeak: " and the sentence, on stderr.
void printError(const QString& sentence);

} // namespace batchpeak::cli

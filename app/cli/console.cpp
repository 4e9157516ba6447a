// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include <QByteArray>

#include <sys/ioctl.h>
#include <unistd.h>

namespace batchpeak::cli {

namespace {

/// Columns of the terminal behind stderr; 80 where it does not say.
int terminalColumns()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void put(std::FILE* stream, const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stream);
    std::fflush(stream);
}

// To the first column, and erase to the end of the line (ECMA-48 EL).
constexpr auto eraseLine = u"\r\033[K";

} // namespace

Console::Console(std::FILE* answers) : m_answers(answers), m_showsLiveLine(isatty(STDERR_FILENO) == 1) {}

Console::~Console()
{
    setLiveLine({});
}

void Console::answer(const QString& line)
{
    write(m_answers, line);
}

void Console::remark(const QString& line)
{
    write(stderr, line);
}

void Console::setLiveLine(const QString& line)
{
    if (!m_showsLiveLine || line == m_liveLine)
        return;
    m_liveLine = line;
    // The last column stays free: a terminal would wrap there, and the line could not be erased.
    put(stderr, QString::fromUtf16(eraseLine) + line.left(terminalColumns() - 1));
}

void Console::write(std::FILE* stream, const QString& line)
{
    const bool liveLineStands = !m_liveLine.isEmpty();
    if (liveLineStands)
        put(stderr, QString::fromUtf16(eraseLine));
    put(stream, line + QLatin1Char('\n'));
    if (liveLineStands)
        put(stderr, m_liveLine.left(terminalColumns() - 1));
}

void printError(const QString& sentence)
{
    put(stderr, QStringLiteral("batchpeak: ") + sentence + QLatin1Char('\n'));
}

} // namespace batchpeak::cli

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include <QByteArray>

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace batchpeak::cli {

namespace {

using engine::LogLevel;
using engine::LogLine;

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

/// "warning: " or "error: " and what was said; news stand alone.
QString logText(const LogLine& line)
{
    switch (line.level) {
    case LogLevel::Warning:
        return QStringLiteral("warning: ") + line.text;
    case LogLevel::Error:
        return QStringLiteral("error: ") + line.text;
    case LogLevel::Info:
        break;
    }
    return line.text;
}

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

void Console::answer(const QStringList& lines)
{
    for (const QString& line : lines)
        answer(line);
}

void Console::remark(const QString& line)
{
    write(stderr, line);
}

void Console::remark(const QStringList& lines)
{
    for (const QString& line : lines)
        remark(line);
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

void LogPrinter::print(const std::vector<LogLine>& log, const QString& saidElsewhere)
{
    // The log forgets its oldest lines, so the lines already printed are told by the last of them.
    const auto isLast = [this](const LogLine& line) {
        return line.time == m_last.time && line.text == m_last.text;
    };
    const auto firstNew = std::find_if(log.rbegin(), log.rend(), isLast).base();
    std::for_each(firstNew, log.end(), [&](const LogLine& line) {
        if (line.level >= m_least && line.text != saidElsewhere)
            m_console.remark(logText(line));
    });
    if (!log.empty())
        m_last = log.back();
}

} // namespace batchpeak::cli

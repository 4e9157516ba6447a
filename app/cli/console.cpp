// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include "command.h"
#include "signal_relay.h"
#include "store/file_identity.h"
#include "text/escaped_text.h"

#include <QByteArray>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::cli {

namespace {

using engine::LogLevel;
using engine::LogLine;

/// Returns the number of columns of the terminal behind stderr; 80 if it is unknown.
int terminalColumns()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

// Error of the first write to stdout that failed. It is global, since there is only one stdout.
int answersError = 0;

void put(std::FILE* stream, const QByteArray& bytes)
{
    const auto size = static_cast<std::size_t>(bytes.size());
    errno = 0;
    const bool isWritten = std::fwrite(bytes.constData(), 1, size, stream) == size;
    // Flush even if fwrite() failed, so that a terminal shows what could be written.
    if (std::fflush(stream) == 0 && isWritten)
        return;
    const int error = errno == 0 ? EIO : errno;
    if (error == EPIPE)
        SignalRelay::noteThatReaderIsGone();
    if (stream == stdout && answersError == 0)
        answersError = error;
}

void put(std::FILE* stream, const QString& text)
{
    put(stream, text.toUtf8());
}

// Moves to the first column, and erases to the end of the line (ECMA-48 EL).
constexpr auto eraseLine = u"\r\033[K";

/// Whether the stream is a terminal that understands control sequences.
bool isTerminal(std::FILE* stream)
{
    const QByteArray kind = qgetenv("TERM");
    return isatty(fileno(stream)) == 1 && !kind.isEmpty() && kind != "dumb";
}

/// Returns a line of the log with "warning: " or "error: " before it; information has no prefix.
StyledText logText(const LogLine& line)
{
    StyledText text;
    if (line.level == LogLevel::Warning)
        text.append(QStringLiteral("warning: "), Style::Warning);
    else if (line.level == LogLevel::Error)
        text.append(QStringLiteral("error: "), Style::Bad);
    text.append(line.text);
    return text;
}

} // namespace

Console::Console(std::FILE* answers, Colors colors)
    : m_answers(answers), m_colors(colors), m_showsLiveLine(isTerminal(stderr))
{}

Console::~Console()
{
    setLiveLine({});
}

void Console::answer(const StyledText& line)
{
    write(m_answers, line);
}

void Console::answer(const QStringList& lines)
{
    for (const QString& line : lines)
        answer(line);
}

void Console::quote(const QByteArray& bytes)
{
    // TERM is ignored here: a terminal that calls itself dumb may not be dumb.
    const bool isSeen = isatty(fileno(m_answers)) == 1;
    put(m_answers, isSeen ? engine::escapeControls(QString::fromUtf8(bytes)).toUtf8() : bytes);
}

void Console::remark(const StyledText& line)
{
    write(stderr, line);
}

void Console::remark(const QStringList& lines)
{
    for (const QString& line : lines)
        remark(line);
}

void Console::setLiveLine(const ProgressLine& line)
{
    if (!m_showsLiveLine)
        return;
    // The last column stays free: a terminal would wrap there, and the line could not be erased.
    const StyledText text = fitted(line, terminalColumns() - 1);
    if (text == m_liveLine)
        return;
    m_liveLine = text;
    put(stderr,
        QString::fromUtf16(eraseLine) + drawn(stderr, text).replace(QLatin1Char('\n'), QLatin1Char(' ')));
}

void Console::write(std::FILE* stream, const StyledText& line)
{
    const bool liveLineStands = !m_liveLine.isEmpty();
    if (liveLineStands)
        put(stderr, QString::fromUtf16(eraseLine));
    put(stream, engine::withIndentedBreaks(drawn(stream, line)) + QLatin1Char('\n'));
    if (liveLineStands)
        put(stderr, drawn(stderr, m_liveLine.left(terminalColumns() - 1)));
}

QString Console::drawn(std::FILE* stream, const StyledText& line) const
{
    const bool isColored = m_colors == Colors::Always ||
                           (m_colors == Colors::Auto && isTerminal(stream) && qgetenv("NO_COLOR").isEmpty());
    return isColored ? line.colored() : line.plain();
}

int codeWithAnswers(int code)
{
    // If the reader is gone, the run has already been told so, as a requested end.
    const bool isAskedFor = code == exitCode::interrupted && answersError == EPIPE;
    if (answersError == 0 || isAskedFor)
        return code;
    printError(
        QStringLiteral("not all could be written to stdout: %1. Make room there, or name another place.")
            .arg(QString::fromLocal8Bit(std::strerror(answersError))));
    return code == exitCode::success ? exitCode::notWritten : code;
}

bool leadsToStdout(const QString& path)
{
    if (path == QLatin1String("-"))
        return true;
    struct stat open
    {};
    return ::fstat(STDOUT_FILENO, &open) == 0 && !S_ISCHR(open.st_mode) &&
           store::identityOf(path) == store::identityOf(open);
}

void printError(const QString& sentence)
{
    put(stderr, QStringLiteral("batchpeak: ") + engine::withIndentedBreaks(engine::escapeControls(sentence)) +
                    QLatin1Char('\n'));
}

void LogPrinter::print(const std::vector<LogLine>& log, const QString& saidElsewhere)
{
    // The log forgets its oldest lines, so the last printed line tells which lines have been printed already.
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

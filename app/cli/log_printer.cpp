// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "log_printer.h"

#include "console.h"

#include <algorithm>

namespace batchpeak::cli {

using engine::LogLevel;
using engine::LogLine;

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

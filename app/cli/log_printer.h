// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <vector>

namespace batchpeak::cli {

class Console;

/// "warning: " or "error: " and what was said; news stand alone.
QString logText(const engine::LogLine& line);

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

} // namespace batchpeak::cli

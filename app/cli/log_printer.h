// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <vector>

namespace batchpeak::cli {

class Console;

/// Prints the warnings and errors of a log that grows, each once. What else is in it, other lines say.
class LogPrinter
{
public:
    explicit LogPrinter(Console& console) : m_console(console) {}

    /// \param saidElsewhere  text that is left out, since it stands among the last lines
    void print(const std::vector<engine::LogLine>& log, const QString& saidElsewhere);

private:
    Console& m_console;
    engine::LogLine m_last;
};

} // namespace batchpeak::cli

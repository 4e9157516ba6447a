// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_terminal.h"

#include <QCoreApplication>

#include <chrono>

namespace batchpeak::cli {

namespace {

// The interval is short enough to look live, and long enough to cost nothing over a slow connection.
constexpr std::chrono::milliseconds redrawInterval{100};

} // namespace

RunTerminal::RunTerminal(Console& console, int interruptions) : m_console(console), m_signals(interruptions)
{
    connect(&m_signals, &SignalRelay::interrupted, this, &RunTerminal::interrupt);
}

int RunTerminal::waitForEnd()
{
    return QCoreApplication::exec();
}

void RunTerminal::drawLiveLine(const std::function<ProgressLine()>& line)
{
    if (!m_console.showsLiveLine())
        return;
    connect(&m_redraw, &QTimer::timeout, this, [this, line] { m_console.setLiveLine(line()); });
    m_redraw.start(redrawInterval);
}

void RunTerminal::removeLiveLine()
{
    m_redraw.stop();
    m_console.setLiveLine({});
}

void RunTerminal::restoreLiveLine()
{
    if (m_console.showsLiveLine())
        m_redraw.start(redrawInterval);
}

void RunTerminal::end(int exitCode)
{
    // A run that fails while it starts ends an event loop that has not begun yet.
    QMetaObject::invokeMethod(
        this, [exitCode] { QCoreApplication::exit(exitCode); }, Qt::QueuedConnection);
}

} // namespace batchpeak::cli

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"
#include "signal_relay.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace batchpeak::cli {

/// The terminal's view of something that runs for a while: it redraws a live line, handles Ctrl-C as long as
/// that means something, and runs the event loop until the last line is printed.
///
/// This class decides on wording and order; the run alone decides what happens. Derived classes decide what
/// is printed.
class RunTerminal : public QObject
{
public:
    /// Runs the event loop until the end, which may already have come.
    /// \return the exit code
    int waitForEnd();

protected:
    /// \param interruptions  number of interruptions that this class handles; the system handles the next one
    RunTerminal(Console& console, int interruptions);

    virtual void interrupt() = 0;

    Console& console() const { return m_console; }
    /// Draws the live line again and again. Does nothing if the console shows no live line.
    void drawLiveLine(const std::function<ProgressLine()>& line);
    void removeLiveLine();
    /// Draws the line again that was removed.
    void restoreLiveLine();
    /// Ends the event loop. Call it once, when the last line is printed and every worker has ended.
    void end(int exitCode);

private:
    Console& m_console;
    SignalRelay m_signals;
    QTimer m_redraw;
};

} // namespace batchpeak::cli

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"
#include "signal_relay.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace batchpeak::cli {

/// The terminal's view of something that runs for a while: a live line that is drawn anew, Ctrl-C as long as
/// it means something, and the event loop until the last line is printed.
///
/// It words and orders; what happens, the run alone decides. What is said is for derived classes.
class RunTerminal : public QObject
{
public:
    /// Runs the event loop until the end, which may have come before.
    /// \return the exit code
    int waitForEnd();

protected:
    /// \param interruptions  that mean something; the next one is the system's
    RunTerminal(Console& console, int interruptions);

    virtual void interrupt() = 0;

    Console& console() const { return m_console; }
    /// Does nothing where the console has no place for a live line.
    void drawLiveLine(const std::function<ProgressLine()>& line);
    void removeLiveLine();
    /// To be called once, when the last line is printed and every worker has ended.
    void end(int exitCode);

private:
    Console& m_console;
    SignalRelay m_signals;
    QTimer m_redraw;
};

} // namespace batchpeak::cli

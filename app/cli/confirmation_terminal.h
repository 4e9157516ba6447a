// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/confirmation_run.h"

#include <QObject>
#include <QTimer>

namespace batchpeak::cli {

class Console;

/// The terminal's view of one confirmation: how far it is, what its worker warns of, and the last lines.
///
/// It words and orders; what happens, the run alone decides.
class ConfirmationTerminal : public QObject
{
    Q_OBJECT

public:
    ConfirmationTerminal(training::ConfirmationRun& run, Console& console);

    /// Ends the run after the step under way; asked a second time, at once.
    void interrupt();

signals:
    /// Once, when the last line is printed and the worker has ended.
    void ended(int exitCode);

private:
    void end();

    training::ConfirmationRun& m_run;
    Console& m_console;
    QTimer m_redraw;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

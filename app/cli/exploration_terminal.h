// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"
#include "engine/exploration.h"

#include <QObject>
#include <QTimer>

namespace batchpeak::cli {

/// The terminal's view of one exploration: prints what it says as it comes, and its end.
///
/// It words and orders; what happens, the exploration alone decides.
class ExplorationTerminal : public QObject
{
    Q_OBJECT

public:
    /// How much is said beside the last lines and errors.
    enum class Detail { LastLinesOnly, Everything };

    ExplorationTerminal(engine::Exploration& exploration, Console& console, Detail detail);

    /// Says the best so far, then stops the exploration.
    void interrupt();

signals:
    /// Once, when the last line is printed and every worker has ended.
    void ended(int exitCode);

private:
    void listenForTheEnd();
    void introduce();
    void printLastLines(const engine::Snapshot& snapshot);
    void end(engine::FinishStatus status);

    engine::Exploration& m_exploration;
    Console& m_console;
    Detail m_detail;
    LogPrinter m_log;
    QTimer m_redraw;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

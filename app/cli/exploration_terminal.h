// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration.h"
#include "run_terminal.h"

namespace batchpeak::cli {

/// The terminal's view of one exploration: prints its messages as they come, and its end.
class ExplorationTerminal : public RunTerminal
{
public:
    /// How much is printed in addition to the last lines and errors.
    enum class Detail { LastLinesOnly, Everything };

    ExplorationTerminal(engine::Exploration& exploration, Console& console, Detail detail);

protected:
    /// Prints the best size so far, then stops the exploration.
    void interrupt() override;

private:
    void listenForTheEnd();
    void printLog();
    void printLastLines(const engine::Snapshot& snapshot);
    void answerLastLines(const QStringList& lines);

    engine::Exploration& m_exploration;
    LogPrinter m_log;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

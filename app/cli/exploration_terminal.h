// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/observed_exploration.h"
#include "run_terminal.h"

namespace batchpeak::cli {

/// The terminal's view of one exploration: prints its messages as they come, and its end.
class ExplorationTerminal : public RunTerminal
{
public:
    /// How much is printed in addition to the last lines and errors.
    enum class Detail { LastLinesOnly, Everything };

    /// \param stop  stops the exploration
    ExplorationTerminal(const engine::ObservedExploration& exploration, Console& console, Detail detail,
                        std::function<void()> stop);

protected:
    /// Prints the best size so far, then stops the exploration.
    void interrupt() override;
    /// Called at the end of the exploration, when the last lines are printed.
    virtual void takeEnd(int exitCode) { end(exitCode); }
    virtual ProgressLine progressLine() const;
    const engine::Snapshot& snapshot() const { return m_exploration.snapshot(); }

private:
    void printDetails();
    void listenForTheEnd();
    void printLog();
    void printLastLines(const engine::Snapshot& snapshot);
    void answerLastLines(const QStringList& lines);

    const engine::ObservedExploration& m_exploration;
    std::function<void()> m_stop;
    LogPrinter m_log;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

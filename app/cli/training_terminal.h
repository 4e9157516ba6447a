// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run_terminal.h"
#include "training/training_run.h"

namespace batchpeak::cli {

/// The terminal's view of one training run: prints what happens as it comes, steps in a thinned row, and the
/// summary.
class TrainingTerminal : public RunTerminal
{
public:
    /// How much is said beside the summary and errors.
    enum class Detail { SummaryOnly, Everything };

    TrainingTerminal(training::TrainingRun& run, Console& console, Detail detail);

protected:
    /// Ends the run after the step under way; asked a second time, at once.
    void interrupt() override;

private:
    void printWhatHappens();
    /// Data is counted when it is read: its samples, and so the steps, may be known only then.
    void printCourse();
    void printStep(const training::StepRecord& step);
    void printSummary();

    training::TrainingRun& m_run;
    LogPrinter m_log;
    /// What was said of the data.
    QString m_data;
    std::int64_t m_steps = 0;
    std::int64_t m_epoch = -1;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

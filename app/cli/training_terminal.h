// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run_terminal.h"
#include "training/training_run.h"

namespace batchpeak::cli {

/// The terminal's view of one training run: prints events as they come, a thinned series of steps, and the
/// summary.
class TrainingTerminal : public RunTerminal
{
public:
    /// How much is printed in addition to the summary and errors.
    enum class Detail { SummaryOnly, Everything };

    TrainingTerminal(training::TrainingRun& run, Console& console, Detail detail);

protected:
    /// Ends the run after the current step; at once if called a second time.
    void interrupt() override;

private:
    void printWhatHappens();
    /// Prints the lines that depend on the data. Data is counted when it is read, so the number of samples,
    /// and thus of steps, may be known only then.
    void printCourse();
    void printStep(const training::StepRecord& step);
    void printSummary();

    training::TrainingRun& m_run;
    LogPrinter m_log;
    /// Lines that were printed about the data.
    QString m_data;
    std::int64_t m_steps = 0;
    std::int64_t m_epoch = -1;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

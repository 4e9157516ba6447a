// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "console.h"
#include "training/training_run.h"

#include <QObject>
#include <QTimer>

namespace batchpeak::cli {

/// The terminal's view of one training run: prints what happens as it comes, steps in a thinned row, and the
/// summary.
///
/// It words and orders; what happens, the run alone decides.
class TrainingTerminal : public QObject
{
    Q_OBJECT

public:
    /// How much is said beside the summary and errors.
    enum class Detail { SummaryOnly, Everything };

    TrainingTerminal(training::TrainingRun& run, Console& console, Detail detail);

    /// Ends the run after the step under way; asked a second time, at once.
    void interrupt();

signals:
    /// Once, when the last line is printed and the worker has ended.
    void ended(int exitCode);

private:
    void printWhatHappens();
    /// Data is counted when it is read: its samples, and so the steps, may be known only then.
    void printCourse();
    void printStep(const training::StepRecord& step);
    void drawLiveLine();
    void end(training::TrainingEnd end);

    training::TrainingRun& m_run;
    Console& m_console;
    LogPrinter m_log;
    QTimer m_redraw;
    /// What was said of the data.
    QString m_data;
    std::int64_t m_steps = 0;
    std::int64_t m_epoch = -1;
    bool m_interrupted = false;
};

} // namespace batchpeak::cli

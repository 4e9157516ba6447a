// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "event.h"
#include "snapshot/snapshot.h"

#include <QLocale>
#include <QString>
#include <QStringList>

#include <vector>

namespace batchpeak::engine {

/// "cpu is ready: Intel Xeon, 5.5 GiB of 24.0 GiB may be used. Other programs hold 12.1 GiB of it."
QString readyText(const DeviceSnapshot& device, const QLocale& locale = QLocale());

/// "batchpeak-trial 0.1.0 runs the trials on cpu, with torch 2.9.1, transformers 5.1."; Empty for
/// batchpeak-worker, which has the torch that Batchpeak is built for.
QString programText(const DeviceSnapshot& device);

/// "Reusing 31 trials of exploration 12, 3 h old. The size that it found is measured first; --fresh ignores
/// them."
QString recalledText(const Recalled& recalled);
/// Text for when a trial has contradicted the recalled ones.
QString forgottenText();

/// "Trial 3: size 8 on cpu."
QString startText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

/// "Trial 3: 8 ran, 31.2 samples/s, peak 1.2 GiB."
/// \param fidelity  fidelity of the run, which marks its numbers
QString endText(const trial::TrialRecord& trial, const config::Fidelity& fidelity,
                const QLocale& locale = QLocale());

/// "Trial 3 was disturbed; retrying size 8."; "Retrying size 8."
QString repetitionText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

/// "Size 8 broke down twice and is left out."
QString leftOutText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

/// Text before a trial of another size than the last one: no trial has run so far, for a reason other than
/// memory, and a larger size is tried all the same. Empty if this does not apply.
QString largerAllTheSameText(const std::vector<trial::TrialRecord>& before, const trial::TrialRecord& next,
                             const QLocale& locale = QLocale());

/// Text for a device on which most of the last trials were disturbed: what this means, and what to do.
QString noMoreRepetitionsText(const QString& device);

/// "Recommended: 8, confidence 45 of 100, expected loss 0.8 %."
QString recommendationText(const search::Recommendation& recommendation, const QLocale& locale = QLocale());

/// Returns the flags of a trial in their original order.
QStringList flagsOf(const trial::TrialRecord& trial);

/// Returns the level at which the end of the trial is logged.
LogLevel levelOf(const trial::TrialRecord& trial);

/// Adds a line with the current time to a snapshot's log, and drops the oldest lines beyond
/// store::keptLogLines. A line that is too long to be read is cut; the first time, the log says so.
void addLine(std::vector<LogLine>& log, LogLevel level, const QString& text);

} // namespace batchpeak::engine

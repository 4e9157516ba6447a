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

/// "batchpeak-trial 0.1.0 runs the trials on cpu, with torch 2.9.1, transformers 5.1."; empty for
/// batchpeak-worker, which has the torch that Batchpeak is built for.
QString programText(const DeviceSnapshot& device);

/// "31 trials of exploration 12, 3 h old, count in this one. A trial of the size found then comes first;
/// --fresh leaves them out."
QString recalledText(const Recalled& recalled);
/// A trial has spoken against them.
QString forgottenText();

/// "Trial 3: 8 on cpu."
QString startText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

/// "Trial 3: 8 ran, 31.2 samples/s, peak 1.2 GiB."
/// \param fidelity  of the run, which marks its numbers
QString endText(const trial::TrialRecord& trial, const config::Fidelity& fidelity,
                const QLocale& locale = QLocale());

/// "Trial 3 was disturbed; retrying size 8."; "Retrying size 8."
QString repetitionText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

/// "Size 8 broke down twice and is left out."
QString leftOutText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

/// Before a trial of another size than the last one's: that nothing has run so far, not for want of memory,
/// and that a larger size is tried all the same. Empty where it is not so.
QString largerAllTheSameText(const std::vector<trial::TrialRecord>& before, const trial::TrialRecord& next,
                             const QLocale& locale = QLocale());

/// On a device that is never calm: what that means, and what to do.
QString noMoreRepetitionsText(const QString& device);

/// "Recommended: 8, confidence 45 of 100, expected loss 0.8 %."
QString recommendationText(const search::Recommendation& recommendation, const QLocale& locale = QLocale());

/// The flags of a trial, as they came.
QStringList flagsOf(const trial::TrialRecord& trial);

/// Good news and bad news are told apart.
LogLevel levelOf(const trial::TrialRecord& trial);

/// Adds a line of the present to a snapshot's log, and drops the oldest beyond store::keptLogLines. A line
/// that is longer than anyone reads is cut; the first time that is said.
void addLine(std::vector<LogLine>& log, LogLevel level, const QString& text);

} // namespace batchpeak::engine

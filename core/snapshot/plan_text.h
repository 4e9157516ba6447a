// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

namespace batchpeak::engine {

/// Texts on what is tried and why, and how long everything will take.

/// "24 again, to distinguish it from 28", "24 and 28 interleaved, to compare them", "64, since throughput is
/// still rising": without a full stop.
QString purposeText(const TrialPlan& plan, const QLocale& locale = QLocale());

/// "Now: 24 again, to distinguish it from 28." for a running trial, "Next: ..." for one that is still to
/// come.
QString planText(const TrialPlan& plan, const QLocale& locale = QLocale());

/// "about 3 min left (2 to 5 min)", "a few seconds left": with as many digits as a forecast justifies.
QString timeLeftText(const search::Estimate& secondsLeft);
/// The two parts of timeLeftText(); the second, in its parentheses, is empty if it says no more than the
/// first.
QString likelyTimeLeftText(const search::Estimate& secondsLeft);
QString timeLeftRangeText(const search::Estimate& secondsLeft);

/// Returns why progress goes back: "3 more trials needed than expected", "trials take longer than expected".
QString setbackText(int moreTrials);
/// Returns the log line about it: "Progress corrected from 92 % to 71 %: 3 more trials needed than expected."
QString setbackLine(double before, double after, const QString& why, const QLocale& locale = QLocale());

/// "40 s", "3 min", "1 h 30 min": an expected time, in few digits.
QString roughDurationText(double seconds);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

namespace batchpeak::engine {

/// How an exploration ended, the expected loss of its answer, and what continuing could gain.

/// "0.8 %", "less than 0.1 %": by how much the recommended size is expected to be slower than the best one.
/// Empty for 0, which a search tells that does not reckon it.
QString expectedLossText(double share, const QLocale& locale = QLocale());

/// "Continuing could gain up to 0.9 % (28 may be faster)."
QString continuationText(const search::ContinuationEstimate& continuation, const QLocale& locale = QLocale());

/// How many trials an exploration is said to have made: none that was cancelled.
int uncancelledTrials(const Snapshot& snapshot);
/// How many of those are verifications, which the trial budget is not charged for.
int uncancelledVerifications(const Snapshot& snapshot);
/// "11 trials (3 of them verifications)".
QString trialsText(const Snapshot& snapshot);

/// "time budget (20 s) reached", "trial budget (64) reached": the one that ended an exploration.
QString budgetText(const Snapshot& snapshot);

/// How an exploration that has ended did so, and where the search can tell it, what going on would take, as
/// full sentences.
QString endingText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine

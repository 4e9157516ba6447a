// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

namespace batchpeak::engine {

/// Texts on how an exploration ended, the expected loss of its answer, and what continuing could gain.

/// "0.8 %", "less than 0.1 %": how much slower than the best size the recommended one is expected to be.
/// Empty for 0, which a search reports that does not estimate it.
QString expectedLossText(double share, const QLocale& locale = QLocale());

/// "Continuing could gain up to 0.9 % (28 may be faster)."
QString continuationText(const search::ContinuationEstimate& continuation, const QLocale& locale = QLocale());

/// Returns the number of trials that an exploration is said to have made: all that were not canceled.
int uncancelledTrials(const Snapshot& snapshot);
/// Returns how many of those are verifications, which do not count against the trial budget.
int uncancelledVerifications(const Snapshot& snapshot);
/// "11 trials (3 of them verifications)".
QString trialsText(const Snapshot& snapshot);

/// "time budget (20 s) reached", "trial budget (64) reached": the budget that ended an exploration.
QString budgetText(const Snapshot& snapshot);

/// Returns how an exploration ended and, if the search can estimate it, what continuing would take, as full
/// sentences.
QString endingText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine

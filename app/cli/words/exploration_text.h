// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "progress_line.h"
#include "search/strategy.h"
#include "snapshot/snapshot.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace batchpeak::cli {

/// Texts of the terminal about a snapshot of an exploration. They word only what the snapshot holds.

/// Returns config, network and run as rows of a table, to which more rows may be added.
std::vector<QStringList> networkRows(const engine::RunDescription& run);

/// Returns the label of all numbers as a row: "measured  approximate because of ...".
QStringList fidelityRow(const config::Fidelity& fidelity);

/// Returns the lines that describe what is explored, printed before the first trial: the network, the run and
/// the batch.
QStringList introductionLines(const engine::RunDescription& run);

/// Returns the line that reports a new recommendation. It is worded as the Cerebras compiler words it in its
/// logs, code included, so that a grep written for those logs works here.
///
/// \param time  time of the recommendation, in any time zone; the line gives it in GMT
/// \param fidelity  fidelity of the run, which the end of the line names if the run is not as configured
QString recommendationLine(const QDateTime& time, const search::Recommendation& recommendation,
                           const config::Fidelity& fidelity);

/// Returns how the recommended size compares with the config's: "1.31x the config's 16", or another text of
/// engine::presentSizeText().
QString gainText(const engine::Snapshot& snapshot);

/// Returns the line of a trial: "trial 3 on cpu: size 8, 1,234 ± 5 samples/s, peak 1.21 GiB, 2 s"; for a
/// comparison "trial 9 on cpu: compared 24 and 28 in 8 visits each: 28 is 1.3 % ± 0.4 faster than 24, 12 s".
/// \param fidelity  fidelity of the run; "~1,234 ± 5 samples/s" if it is approximate
QString trialLine(const trial::TrialRecord& trial, const config::Fidelity& fidelity);

/// Returns the live line: "42 %  trial 7 of about 18  size 96  2,115 samples/s  best 64 (45 %)  about 3 min
/// left  (2 to 5 min)", with "comparing 24 and 28" instead of the size during a comparison. It is empty
/// before the start and after the end.
ProgressLine liveLine(const engine::Snapshot& snapshot);

/// Returns the last lines: the recommended size, its speed and memory, the reason for it, and which global
/// batch sizes it divides. If there is no recommendation, they tell why.
QStringList finalLines(const engine::Snapshot& snapshot);

/// Returns the global batch sizes nearest to the plan's own that consist of whole micro-batches on every
/// device, that is, multiples of microBatchSize * devices. Returns only the plan's own if it is such a
/// multiple; otherwise the next one below, if there is one, and the next one above.
std::vector<std::int64_t> nearestGlobalBatchSizes(const config::BatchPlan& plan, std::int64_t microBatchSize);

} // namespace batchpeak::cli

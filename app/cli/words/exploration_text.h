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

/// A snapshot of an exploration in the words of the terminal. It only words what the snapshot holds.

/// Config, network and run, as rows of a table that more may be added to.
std::vector<QStringList> networkRows(const engine::RunDescription& run);

/// "measured  approximate because of ...": the label of all numbers, as a row.
QStringList fidelityRow(const config::Fidelity& fidelity);

/// What is explored, before the first trial: the network, the run and the batch.
QStringList introductionLines(const engine::RunDescription& run);

/// The line that says a new recommendation, worded as the Cerebras compiler words it in its logs, code
/// included, so that a grep written for those works here.
///
/// \param time  of the recommendation, in any time zone; the line says GMT
/// \param fidelity  of the run, which the end of the line names where it is not as configured
QString recommendationLine(const QDateTime& time, const search::Recommendation& recommendation,
                           const config::Fidelity& fidelity);

/// "1.31x the config's 16", or what else engine::presentSizeText() says of the recommended size.
QString gainText(const engine::Snapshot& snapshot);

/// "trial 3 on cpu: size 8, 1,234 ± 5 samples/s, peak 1.21 GiB, 2 s"; of a comparison "trial 9 on cpu:
/// compared 24 and 28 in 8 visits each: 28 is 1.3 % ± 0.4 faster than 24, 12 s".
/// \param fidelity  of the run: "~1,234 ± 5 samples/s" where it is approximate
QString trialLine(const trial::TrialRecord& trial, const config::Fidelity& fidelity);

/// "42 %  trial 7 of about 18  size 96  2,115 samples/s  best 64 (45 %)  about 3 min left  (2 to 5 min)", or
/// in the place of the size "comparing 24 and 28"; empty before the start and after the end.
ProgressLine liveLine(const engine::Snapshot& snapshot);

/// The last lines: the recommended size, what it achieves and needs, why, and which global batch sizes
/// it divides. Where there is no recommendation, why.
QStringList finalLines(const engine::Snapshot& snapshot);

/// The global batch sizes next to the plan's own that are made of whole micro-batches on every device,
/// that is the multiples of microBatchSize * devices: the plan's own alone where it is one, else the
/// next below (where there is one) and the next above.
std::vector<std::int64_t> nearestGlobalBatchSizes(const config::BatchPlan& plan, std::int64_t microBatchSize);

} // namespace batchpeak::cli

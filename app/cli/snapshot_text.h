// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace batchpeak::cli {

/// A snapshot in the words of the terminal. It only words what the snapshot holds.

/// Config, network and run, as rows of a table that more may be added to.
std::vector<QStringList> networkRows(const engine::RunDescription& run);

/// What is explored, before the first trial: the network, the run and the batch.
QStringList introductionLines(const engine::RunDescription& run);

/// "trial 3 on cpu: size 8, 1,234 ± 5 samples/s, peak 1.21 GiB, 2 s".
QString trialLine(const engine::TrialSnapshot& trial);

/// "42 %, trial 7 of about 18: size 96, about 1 min 12 s left"; empty before the start and after the end.
QString liveLine(const engine::Snapshot& snapshot);

/// The last lines: the recommended size, what it achieves and needs, why, and which global batch sizes
/// it divides. Where there is no recommendation, why.
QStringList finalLines(const engine::Snapshot& snapshot);

} // namespace batchpeak::cli

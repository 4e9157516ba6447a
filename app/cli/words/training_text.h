// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "progress_line.h"
#include "training/training_snapshot.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace batchpeak::cli {

/// A training run in the words of the terminal, beside what its log says. It only words what the snapshot
/// holds.

/// What is trained, before the first step: the network, the batch, the way to its micro-batches, the data.
QStringList introductionLines(const training::TrainingDescription& training);

/// Those of them that data read from files settles only when it is read.
QStringList courseLines(const training::TrainingDescription& training);

/// "step 12 of 20, epoch 1: loss 7.6241, 412 samples/s, 52,736 tokens/s, micro-batch 32 x 8, peak 212 MiB".
/// \param steps  of the whole run; 0 where unknown
QString stepLine(const training::StepRecord& step, std::int64_t steps, const config::Fidelity& fidelity);

/// "evaluation after step 10: loss 7.5012, ..."
/// \param heldOut  of samples that are never trained on
QString evaluationLine(const training::StepRecord& evaluation, bool heldOut,
                       const config::Fidelity& fidelity);

/// Where the run stands, in one line that is drawn anew; empty before the start and after the end.
ProgressLine liveLine(const training::TrainingSnapshot& snapshot);

/// The last lines of a training run: steps, loss, speed, sizes, memory, the maximum beside what an
/// exploration recommends, and how to go on. Empty where nothing was measured.
QStringList finalLines(const training::TrainingSnapshot& snapshot);

/// Whether the \p number-th of many alike deserves a line of its own: each of the first twenty, every fifth
/// up to 100, every fiftieth up to 1,000, and so on. The first changes are seen, and a million print about a
/// hundred lines.
/// \param number  from 1
bool deservesALine(std::int64_t number);

} // namespace batchpeak::cli

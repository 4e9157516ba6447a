// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "progress_line.h"
#include "training/training_snapshot.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace batchpeak::cli {

/// Texts of the terminal about a training run, in addition to its log. They word only what the snapshot
/// holds.

/// Returns the lines that describe the training run, printed before the first step: the network, the batch,
/// how its micro-batch size is chosen, and the data.
QStringList introductionLines(const training::TrainingDescription& training);

/// Returns those of these lines that depend on data from files and are known only once it is read.
QStringList courseLines(const training::TrainingDescription& training);

/// "step 12 of 20, epoch 1: loss 7.6241, 412 samples/s, 52,736 tokens/s, micro-batch 32 x 8, peak 212 MiB".
/// \param steps  number of steps of the whole run; 0 if unknown
QString stepLine(const training::StepRecord& step, std::int64_t steps, const config::Fidelity& fidelity);

/// "evaluation after step 10: loss 7.5012, ..."
/// \param heldOut  whether its samples are never trained on
QString evaluationLine(const training::StepRecord& evaluation, bool heldOut,
                       const config::Fidelity& fidelity);

/// Returns the progress of the run as one line that is redrawn; empty before the start and after the end.
ProgressLine liveLine(const training::TrainingSnapshot& snapshot);

/// Returns the last lines of a training run: steps, loss, speed, sizes, memory, the largest size that fits
/// beside the size that an exploration recommends, and how to continue. Empty if nothing was measured.
QStringList finalLines(const training::TrainingSnapshot& snapshot);

/// Whether the \p number-th of many similar lines is printed: each of the first twenty, every fifth up to
/// 100, every fiftieth up to 1,000, and so on. The first changes are thus visible, and a million lines are
/// thinned to about a hundred.
/// \param number  counts from 1
bool deservesALine(std::int64_t number);

} // namespace batchpeak::cli

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/confirmation_snapshot.h"
#include "training/training_snapshot.h"

#include <QString>

#include <vector>

namespace batchpeak::test {

/// Invented but plausible snapshots of training runs and confirmation runs, made by formulas.
struct SampleTraining
{
    QString name;
    training::TrainingSnapshot snapshot;
};

/// A training run before its start.
training::TrainingSnapshot readyTraining();
/// After 340 of 1,000 steps at the recommended size, with evaluations.
training::TrainingSnapshot midwayTraining();
/// Started at the whole batch and halved to 192 in step 1, to 96 in step 70 and, after thrashing, to 48 in
/// step 95.
training::TrainingSnapshot halvingTraining();
/// With a batch that grows each epoch, until growth beyond the maximum is ignored.
training::TrainingSnapshot growthTraining();
training::TrainingSnapshot completedTraining();
training::TrainingSnapshot failedTraining();
training::TrainingSnapshot nothingFitsTraining();
/// The loss is NaN from step 61 on.
training::TrainingSnapshot divergedTraining();
/// With held-out samples, and an exploration that predicted its speed.
training::TrainingSnapshot predictedTraining();
/// Three runs for comparison: halved, smaller with another learning rate, diverged.
std::vector<training::TrainingSnapshot> earlierTrainings();
/// A run with that many noisy steps, with spikes.
training::TrainingSnapshot longTraining(std::int64_t steps);

/// A training run of adapters; its speeds are approximate.
training::TrainingSnapshot adapterTraining();
std::vector<SampleTraining> allTrainings();

training::ConfirmationSnapshot runningConfirmation();
training::ConfirmationSnapshot doneConfirmation();
training::ConfirmationSnapshot failedConfirmation();

} // namespace batchpeak::test

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_plan.h"

#include <QString>
#include <QStringList>

namespace batchpeak::training {

/// What two runs must have alike so that one goes on where the other ended, as lines "key: value": network,
/// data, arithmetic, seed, and the batch that the run began with. Sizes of micro-batches and memory are no
/// part of it, since the optimisation is the same with others.
QString fingerprintOf(const TrainingPlan& plan);

/// "seed: 1 there, 2 here" of each key whose value is another one.
QStringList fingerprintDifferences(const QString& there, const QString& here);

} // namespace batchpeak::training

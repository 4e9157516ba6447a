// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/place.h"

#include <QString>
#include <QStringList>

namespace batchpeak::engine {

/// An exploration that runs as a batch job of Slurm, without anybody who watches.
struct BatchJob
{
    /// The Slurm that is asked, with options of sbatch.
    Place place;
    /// Path of batchpeak.
    QString program;
    /// Beginning of the paths of the job's log and events; the number of the job follows.
    QString prefix;
    /// Words after "explore" that begin the exploration, without those of its output.
    QStringList exploreWords;
    /// Words that say where the size is written, if it is.
    QStringList outputWords;
};

/// Returns the batch script of a job, for sbatch.
///
/// A job that Slurm restarts, because it was preempted or a node failed, continues its exploration with all
/// finished trials. So does one that reaches its time limit: 90 seconds before it, the exploration ends, and
/// the job goes back into the queue.
QString batchScript(const BatchJob& job);

/// What sbatch said to a script.
struct SubmittedJob
{
    QString job;
    /// Why it was refused, as a full sentence; empty if it was not.
    QString problem;
};

/// Submits a script and waits for the answer.
SubmittedJob submitScript(const QString& path);

} // namespace batchpeak::engine

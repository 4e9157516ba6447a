// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/place.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// An exploration that runs elsewhere: where its events are.
struct WatchTarget
{
    /// The computer with the file, or with the Slurm, if it is another one.
    std::optional<Place> place = {};
    /// Path of the events; empty for a job.
    QString path = {};
    /// Number of a job of Slurm; empty for a file.
    QString job = {};

    /// Returns what a user calls it: "gpu7:run.jsonl", "Slurm job 17".
    QString name() const;
};

/// Reads a path, the number of a job, or one of them behind "ssh:HOST:". A file whose name is a number is
/// named with its folder: "./17".
/// \param on  place, as placeFromText() reads it; empty for this computer
/// \throws UsageError  if nothing is named, or if the place is no computer that ssh leads to
WatchTarget watchTargetFrom(const QString& text, const QString& on = {});

} // namespace batchpeak::engine

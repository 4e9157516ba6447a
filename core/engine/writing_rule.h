// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_options.h"
#include "snapshot.h"

#include <QLocale>
#include <QString>

namespace batchpeak::engine {

/// Whether a recommendation is sure enough to be written into a config, and of its network. What follows
/// where it is not, the program decides that was to write it: the terminal refuses, the window asks.

/// The confidence [percent] that writing takes: what minConfidence says, else 50, or the confidence that the
/// exploration was to stop at where that is less.
int leastConfidenceToWrite(const ExplorationOptions& options);

/// Whether the snapshot recommends a size of the config's network, with the confidence that writing takes.
bool isSureEnoughToWrite(const Snapshot& snapshot, const ExplorationOptions& options);

/// "The confidence in 24 is 12 (out of 100), and writing it takes 50.", or that it is of a smaller network;
/// empty where it may be written, and where there is no recommendation.
QString doubtText(const Snapshot& snapshot, const ExplorationOptions& options,
                  const QLocale& locale = QLocale());

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"
#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// Whether a recommendation is sure enough to be written into a config, and of its network. What follows
/// where it is not, the program decides that was to write it: the terminal refuses, the window asks.

/// The confidence [percent] that writing takes: what minConfidence says, else 50, or the confidence that the
/// exploration was to stop at where that is less.
int minConfidenceToWrite(const ExplorationOptions& options);

/// "34 did not run in a fresh process, and none has run 32.", or that the recommended 32 could not be
/// verified; else empty.
QString unverifiedText(const Snapshot& snapshot, const QLocale& locale = QLocale());

/// "Confidence is 28 %, below the required 50 %.", that the size is unverified, or of a smaller network;
/// empty where it may be written, and where there is no recommendation. Where any confidence will do, so does
/// a size that is unverified.
///
/// \param selected  the size that a person wants instead: confidence and verification are none of it
QString doubtText(const Snapshot& snapshot, const ExplorationOptions& options,
                  const QLocale& locale = QLocale(), std::optional<std::int64_t> selected = {});

/// The size that a person has selected, where that and not the recommended one is to be written: a trial of
/// it ran well. Else nothing.
std::optional<std::int64_t> selectedToWrite(const Snapshot& snapshot, std::optional<std::int64_t> selected);

} // namespace batchpeak::engine

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

/// Rules for whether a recommendation is certain enough to be written into a config, and is of the config's
/// network. If not, the calling program decides: the terminal refuses, the window asks.

/// Returns the confidence [percent] that is required for writing: minConfidence if it is set, else 50, or the
/// target confidence of the exploration if that is lower.
int minConfidenceToWrite(const ExplorationOptions& options);

/// "34 failed in a fresh process, and 32 has not run in one.", or that the recommended 32 could not be
/// verified; empty otherwise.
QString unverifiedText(const Snapshot& snapshot, const QLocale& locale = QLocale());

/// "Confidence is 28 %, below the required 50 %.", that the size is unverified, or that it is of a smaller
/// network; empty if the size may be written, and if there is no recommendation. If any confidence suffices,
/// so does a size that is unverified.
///
/// \param selected  size that a person wants instead; confidence and verification do not apply to it
QString doubtText(const Snapshot& snapshot, const ExplorationOptions& options,
                  const QLocale& locale = QLocale(), std::optional<std::int64_t> selected = {});

/// Returns the size that a person has selected, if it is to be written instead of the recommended one: a
/// trial of it ran well. Returns nothing otherwise.
std::optional<std::int64_t> selectedToWrite(const Snapshot& snapshot, std::optional<std::int64_t> selected);

} // namespace batchpeak::engine

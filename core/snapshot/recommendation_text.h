// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <optional>

namespace batchpeak::engine {

/// Returns why the recommended size is the best so far, and what comes next: one or two plain sentences made
/// of the search's own numbers. Empty without a recommendation.
/// \param finish  how the exploration ended; one that was stopped in the middle of its search has no next
///                size either
/// \param speedMark  text before each speed, from speedMark()
QString reasonText(const search::SearchState& searchState, const QLocale& locale = QLocale(),
                   std::optional<FinishStatus> finish = {}, const QString& speedMark = {});

/// A size below the recommended one that is also within the tolerance.
struct SmallerSize
{
    std::int64_t size = 0;
    double tolerance = 0.02;
    /// Peak of the smaller size, and of the recommended one; 0 if unknown.
    std::int64_t peakBytes = 0;
    std::int64_t recommendedPeakBytes = 0;
};

/// "16 is within 2 % and takes 3.1 GiB less."
QString smallerSizeText(const SmallerSize& smaller, const QLocale& locale = QLocale());

/// Returns a full sentence that the samples/s were measured beside other programs, and what these took; empty
/// if they took almost nothing, or no trial reports it (trial::TrialReadings).
QString besideOthersText(const Snapshot& snapshot, const QLocale& locale = QLocale());

/// "launch-bound", "tile-quantized, 64"; empty if it is unknown.
/// \param isOnCpu  whether the devices are CPUs, where nothing is launched and a step has a fixed cost
///                 instead (Snapshot::isOnCpu)
QString speedLimitWord(const search::SpeedLimit& limit, bool isOnCpu, const QLocale& locale = QLocale());

/// Returns what limits the speed and by how much, as a full sentence; empty if it is unknown.
QString speedLimitText(const search::SpeedLimit& limit, bool isOnCpu, const QLocale& locale = QLocale());

/// Returns the status of the verification: "24 was confirmed in a fresh process: 512 samples/s, peak 3.1 GiB,
/// 1.2 GiB of the limit left."
QString verificationText(const Verification& verification, const QLocale& locale = QLocale());

} // namespace batchpeak::engine

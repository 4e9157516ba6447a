// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <optional>

namespace batchpeak::engine {

/// Why the recommended size is the best so far, and what comes next: one or two plain sentences made of
/// the search's own numbers. Empty without a recommendation.
/// \param finish  how the exploration ended: also one that was stopped in the middle of its search has
///                no next size
/// \param speedMark  before each speed, as of speedMark()
QString reasonText(const search::SearchState& searchState, const QLocale& locale = QLocale(),
                   std::optional<FinishStatus> finish = {}, const QString& speedMark = {});

/// A size below the recommended one that is within the tolerance too.
struct SmallerSize
{
    std::int64_t size = 0;
    double tolerance = 0.02;
    /// 0 where unknown.
    std::int64_t peakBytes = 0;
    std::int64_t recommendedPeakBytes = 0;
};

/// "16 is within 2 % and takes 3.1 GiB less."
QString smallerSizeText(const SmallerSize& smaller, const QLocale& locale = QLocale());

/// A full sentence that the samples/s are those which trials had beside other programs, and what these took;
/// empty where they took next to nothing, or no trial tells (trial::TrialReadings).
QString besideOthersText(const Snapshot& snapshot, const QLocale& locale = QLocale());

/// "launch-bound", "tile-quantized, 64"; empty where it is unknown.
/// \param isOnCpu  where nothing is launched, a step has a fixed cost (Snapshot::isOnCpu)
QString speedLimitWord(const search::SpeedLimit& limit, bool isOnCpu, const QLocale& locale = QLocale());

/// What limits the speed and by how much, as a full sentence; empty where it is unknown.
QString speedLimitText(const search::SpeedLimit& limit, bool isOnCpu, const QLocale& locale = QLocale());

/// How the verification stands: "24 was confirmed in a fresh process: 512 samples/s, peak 3.1 GiB, 1.2 GiB of
/// the limit left."
QString verificationText(const Verification& verification, const QLocale& locale = QLocale());

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

namespace batchpeak::engine {

/// Whether a trial ran out of memory, or ran and used or freed more of it than it may.
bool speaksOfMemory(const trial::TrialRecord& trial);

/// How an exploration ends whose search stands so; nothing while it goes on.
std::optional<FinishStatus> finishStatusOf(search::SearchState::Status status);

/// How an exploration ends, and why it failed where it did.
struct RunEnd
{
    FinishStatus status = FinishStatus::Failed;
    /// Empty where there is a recommendation.
    QString failure;
};

/// \param wanted  as the search sees it; without a single result that was a failure
/// \param smallest  smallest size that was allowed
/// \param budgetSeconds  nothing where time sets no bound
RunEnd runEndOf(FinishStatus wanted, const Snapshot& snapshot, std::int64_t smallest,
                std::optional<double> budgetSeconds = std::nullopt);

/// Why no size fits, what the smallest would need at least, and what to do about it.
/// \param smallest  smallest size that was allowed
QString nothingFitsText(const Snapshot& snapshot, std::int64_t smallest);

/// The second half of that: what the smallest would need, what there is, and what to do.
QString memoryNeedText(const Snapshot& snapshot, std::int64_t smallest);

/// Why no trial gave a result, from how the last one ended.
QString noResultText(const Snapshot& snapshot);

/// Why no device is left to run trials on.
/// \param lastLines  end of the worker's stderr
QString noDeviceText(const QString& problem, const QStringList& lastLines);

/// \p text and, in lines of their own, the end of a worker's stderr where there is one.
QString withFinalState(const QString& text, const QStringList& lastLines);

} // namespace batchpeak::engine

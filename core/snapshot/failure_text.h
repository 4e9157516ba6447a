// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QString>

#include <cstdint>

namespace batchpeak::engine {

/// Whether a trial ran out of memory, or ran but used or freed more of it than it may.
bool speaksOfMemory(const trial::TrialRecord& trial);

/// Returns how an exploration ends whose search has this status; nothing while the search continues.
std::optional<FinishStatus> finishStatusOf(search::SearchState::Status status);

/// How an exploration ends, and why it failed if it did.
struct RunEnd
{
    FinishStatus status = FinishStatus::Failed;
    /// Empty if there is a recommendation.
    QString failure;
};

/// \param wanted  status by the search; without a single result, the exploration has failed
/// \param smallest  smallest size that was allowed
/// \param budgetSeconds  nothing if the time is not limited
RunEnd runEndOf(FinishStatus wanted, const Snapshot& snapshot, std::int64_t smallest,
                std::optional<double> budgetSeconds = std::nullopt);

/// Returns why no size fits, what the smallest would need at least, and what to do about it.
/// \param smallest  smallest size that was allowed
QString nothingFitsText(const Snapshot& snapshot, std::int64_t smallest);

/// Returns the second half of nothingFitsText(): what the smallest size would need, what is available, and
/// what to do.
QString memoryNeedText(const Snapshot& snapshot, std::int64_t smallest);

/// Returns why no trial gave a result, from how the last one ended.
QString noResultText(const Snapshot& snapshot);

/// Returns why no device is left to run trials on.
/// \param lastLines  end of the worker's stderr
QString noDeviceText(const QString& problem, const QStringList& lastLines);

/// Returns the same for a place that cannot be reached any more.
/// \param hasTrials  whether trials were run before, which stand
QString lostPlaceText(const QString& problem, bool hasTrials);

/// Returns what the exploration waits for at its places, in phrases: "slurm:gpu: waiting in Slurm's queue
/// (Resources)", "n1/cpu: connection lost, trying again until 18:20:31"; empty if nothing keeps it waiting.
/// Devices that are given up are not among them.
QStringList awaitedPlaces(const Snapshot& snapshot);

/// Returns \p text followed, on lines of its own, by the end of a worker's stderr if there is any.
QString withLastLines(const QString& text, const QStringList& lastLines);

/// Whether no trial was completed: none began, or the one that ran was canceled.
bool endedBeforeATrial(const Snapshot& snapshot);

/// Returns a text that a time budget ended before the first trial did, how far the exploration had come, and
/// which budget would suffice: by the time of the steps so far, or else a few times the time spent.
/// \param smallest  smallest size that was allowed
QString shortBudgetText(const Snapshot& snapshot, double budgetSeconds, std::int64_t smallest);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ending_text.h"

#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

/// Shares are shown with one decimal of a percent; less than half of that would be shown as 0.0 %.
constexpr double minTold = 0.001;

QString capitalized(const QString& text)
{
    return text.left(1).toUpper() + text.mid(1);
}

QString howItEnded(const Snapshot& snapshot)
{
    switch (*snapshot.finish) {
    case FinishStatus::Confident:
        return Translated::tr("Target confidence reached.");
    case FinishStatus::Exhausted:
        return snapshot.searchState.continuation ? Translated::tr("No further trial is worth its time.")
                                                 : Translated::tr("No size left that is worth a trial.");
    case FinishStatus::Budget:
        return capitalized(budgetText(snapshot)) + QLatin1Char('.');
    case FinishStatus::Cancelled:
        return Translated::tr("Stopped.");
    case FinishStatus::Failed:
        if (snapshot.recommendsSize())
            return Translated::tr("Ended early, since no more trials could be run.");
        break;
    case FinishStatus::NothingFits:
        break;
    }
    return Translated::tr("Ended without a recommendation.");
}

} // namespace

QString expectedLossText(double share, const QLocale& locale)
{
    if (!(share > 0.0))
        return {};
    if (share < minTold / 2.0)
        return Translated::tr("less than %1").arg(percentText(minTold, locale));
    return percentText(share, locale);
}

QString continuationText(const search::ContinuationEstimate& continuation, const QLocale& locale)
{
    return Translated::tr("Continuing could gain up to %1 (%2 may be faster).")
        .arg(percentText(std::max(continuation.maxGain, minTold), locale),
             numberText(continuation.rival, locale));
}

int uncancelledTrials(const Snapshot& snapshot)
{
    return static_cast<int>(std::ranges::count_if(snapshot.trials, [](const trial::TrialRecord& trial) {
        return trial.outcome != trial::Outcome::Cancelled;
    }));
}

int uncancelledVerifications(const Snapshot& snapshot)
{
    return static_cast<int>(std::ranges::count_if(snapshot.trials, [](const trial::TrialRecord& trial) {
        return trial.isVerification && trial.outcome != trial::Outcome::Cancelled;
    }));
}

QString trialsText(const Snapshot& snapshot)
{
    const QString all = trialsText(uncancelledTrials(snapshot));
    const int verifications = uncancelledVerifications(snapshot);
    return verifications == 0   ? all
           : verifications == 1 ? Translated::tr("%1 (one of them a verification)").arg(all)
                                : Translated::tr("%1 (%2 of them verifications)").arg(all).arg(verifications);
}

QString budgetText(const Snapshot& snapshot)
{
    const RunDescription& run = *snapshot.run;
    const int trials = uncancelledTrials(snapshot) - uncancelledVerifications(snapshot);
    if (run.budgetSeconds && trials < run.maxTrials)
        return Translated::tr("time budget (%1) reached").arg(wholeDurationText(*run.budgetSeconds));
    return Translated::tr("trial budget (%1) reached").arg(run.maxTrials);
}

QString endingText(const Snapshot& snapshot, const QLocale& locale)
{
    // If the target confidence is reached, there is no reason to continue.
    const FinishStatus status = *snapshot.finish;
    const bool isOpen = status == FinishStatus::Exhausted || status == FinishStatus::Budget ||
                        status == FinishStatus::Cancelled;
    if (!isOpen || !snapshot.searchState.continuation)
        return howItEnded(snapshot);
    return howItEnded(snapshot) + QLatin1Char(' ') +
           continuationText(*snapshot.searchState.continuation, locale);
}

} // namespace batchpeak::engine

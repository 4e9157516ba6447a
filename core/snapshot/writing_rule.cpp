// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "writing_rule.h"

#include "config/smaller_run.h"
#include "measured_sizes.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace batchpeak::engine {

namespace {

// The size is as likely to be right as wrong.
constexpr double defaultMin = 0.5;

bool isOfSmallerNetwork(const Snapshot& snapshot)
{
    return snapshot.run && config::isOfSmallerNetwork(snapshot.run->fidelity);
}

/// Returns a size that failed in a fresh process, if no fresh process has run the recommended one: then it is
/// uncertain whether that one runs in a fresh process. 0 if there is none.
std::int64_t failedVerification(const Snapshot& snapshot)
{
    std::set<std::int64_t> failed;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (!trial.isVerification || trial.isRunning() || trial.outcome == trial::Outcome::Cancelled)
            continue;
        if (!trial.ranWell())
            failed.insert(trial.microBatchSize);
        else if (trial.microBatchSize == snapshot.searchState.recommendation->size)
            return 0;
        else
            failed.erase(trial.microBatchSize);
    }
    return failed.empty() ? 0 : *failed.begin();
}

} // namespace

int minConfidenceToWrite(const ExplorationOptions& options)
{
    const double min = options.minConfidence.value_or(std::min(defaultMin, options.targetConfidence));
    return static_cast<int>(std::lround(100.0 * min));
}

QString unverifiedText(const Snapshot& snapshot, const QLocale& locale)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation)
        return {};
    const QString size = numberText(recommendation->size, locale);
    if (const std::int64_t failed = failedVerification(snapshot))
        return Translated::tr("%1 failed in a fresh process, and %2 has not run in one.")
            .arg(numberText(failed, locale), size);
    const auto& verification = snapshot.verification;
    const bool couldNotBe = verification && verification->size == recommendation->size &&
                            verification->outcome == Verification::Outcome::NotRun;
    return couldNotBe ? Translated::tr("%1 was not verified in a fresh process.").arg(size) : QString();
}

QString doubtText(const Snapshot& snapshot, const ExplorationOptions& options, const QLocale& locale,
                  std::optional<std::int64_t> selected)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (isOfSmallerNetwork(snapshot) && (recommendation || selected)) {
        return Translated::tr("%1 was found for a smaller network than the config's.")
            .arg(numberText(selected.value_or(recommendation ? recommendation->size : 0), locale));
    }
    const int min = minConfidenceToWrite(options);
    // A person who accepts any confidence also accepts a size that is unverified.
    if (selected || !recommendation || min == 0)
        return {};
    if (QString unverified = unverifiedText(snapshot, locale); !unverified.isEmpty())
        return unverified;
    if (recommendation->confidence >= min)
        return {};
    return Translated::tr("Confidence is %1 %, below the required %2 %.")
        .arg(numberText(recommendation->confidence, locale), numberText(min, locale));
}

std::optional<std::int64_t> selectedToWrite(const Snapshot& snapshot, std::optional<std::int64_t> selected)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const bool isRecommended =
        recommendation && snapshot.recommendsSize() && recommendation->size == selected;
    return snapshot.run && selected && !isRecommended && hasRun(snapshot, *selected) ? selected
                                                                                     : std::nullopt;
}

} // namespace batchpeak::engine

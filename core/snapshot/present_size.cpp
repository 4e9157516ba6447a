// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "present_size.h"

#include "failure_text.h"
#include "measured_sizes.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

/// Interpolates the curve linearly between the logarithms of two points.
std::optional<double> speedAt(const std::vector<search::CurvePoint>& curve, std::int64_t size)
{
    const auto wanted = static_cast<double>(size);
    const auto right = std::ranges::lower_bound(curve, wanted, {}, &search::CurvePoint::size);
    if (right == curve.end())
        return std::nullopt;
    if (right->size == wanted)
        return right->samplesPerSecond;
    if (right == curve.begin())
        return std::nullopt;
    const auto left = right - 1;
    const double share = std::log(wanted / left->size) / std::log(right->size / left->size);
    return std::exp(std::lerp(std::log(left->samplesPerSecond), std::log(right->samplesPerSecond), share));
}

/// Whether the smallest size that failed did so for another reason than memory.
bool breaksDown(const Snapshot& snapshot)
{
    const auto isOfFailure = [&](const trial::TrialRecord& trial) {
        return !trial.isComparison() && trial.microBatchSize == snapshot.searchState.smallestFailure;
    };
    const auto isOfMemory = [&](const trial::TrialRecord& trial) {
        return isOfFailure(trial) && speaksOfMemory(trial);
    };
    return std::ranges::any_of(snapshot.trials, isOfFailure) &&
           std::ranges::none_of(snapshot.trials, isOfMemory);
}

} // namespace

std::optional<PresentSizeComparison> comparedWithPresentSize(const Snapshot& snapshot)
{
    const search::SearchState& search = snapshot.searchState;
    const auto present = snapshot.run ? snapshot.run->plan.writtenSize() : std::nullopt;
    if (!present || !search.recommendation)
        return std::nullopt;
    PresentSizeComparison comparison{.size = *present};
    comparison.isMeasured = hasRun(snapshot, *present);
    comparison.doesNotFit =
        !comparison.isMeasured && search.smallestFailure > 0 && *present >= search.smallestFailure;
    if (search.recommendation->size == *present) {
        comparison.factor = 1.0;
        return comparison;
    }
    // The factor is the ratio of the two speeds that are shown or, if one of them is not, of two that the
    // model predicts.
    const search::SizeEstimate* estimate = search.estimateOf(*present);
    const auto speed = estimate ? std::optional(estimate->samplesPerSecond) : speedAt(search.curve, *present);
    const auto best = estimate ? std::optional(search.recommendation->samplesPerSecond)
                               : speedAt(search.curve, search.recommendation->size);
    if (speed && best && !comparison.doesNotFit)
        comparison.factor = *best / *speed;
    return comparison;
}

QString presentSizeText(const Snapshot& snapshot, const QLocale& locale)
{
    const auto comparison = comparedWithPresentSize(snapshot);
    if (!comparison)
        return {};
    const QString size = numberText(comparison->size, locale);
    if (snapshot.searchState.recommendation->size == comparison->size)
        return Translated::tr("the config's size");
    if (comparison->doesNotFit)
        return (breaksDown(snapshot) ? Translated::tr("the config's %1 does not run")
                                     : Translated::tr("the config's %1 does not fit"))
            .arg(size);
    if (!comparison->factor)
        return {};
    const QString factor = factorText(*comparison->factor, locale);
    return comparison->isMeasured ? Translated::tr("%1 the config's %2").arg(factor, size)
                                  : Translated::tr("about %1 the config's %2").arg(factor, size);
}

} // namespace batchpeak::engine

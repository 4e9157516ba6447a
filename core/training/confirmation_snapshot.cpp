// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_snapshot.h"

#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::training {

using engine::Translated;

namespace {

using engine::numberText;
using engine::percentText;

constexpr double deviationsApart = 2.0;
// Shared computers have a noise of 1 %, and predictions aim at 2 %.
constexpr double maxApart = 0.03;

QString unmeasuredText(const ConfirmedSize& size, const QLocale& locale)
{
    return Translated::tr("No step of %1 was timed, so nothing is confirmed.")
        .arg(numberText(size.predicted.microBatchSize, locale));
}

/// Ratio of measured to predicted throughput of one size, with the noise of both.
struct FactorOfPrediction
{
    /// achieved / predicted
    double value = 1.0;
    /// Relative standard error.
    double noise = 0.0;
};

std::optional<FactorOfPrediction> factorOf(const ConfirmedSize& size)
{
    const auto miscorrelation = size.miscorrelation();
    if (!miscorrelation || !size.relativeError || size.ranOutOfMemory || size.predicted.withoutOptimizer)
        return std::nullopt;
    return FactorOfPrediction{.value = 1.0 + *miscorrelation,
                              .noise = std::hypot(*size.relativeError, size.predicted.relativeError)};
}

/// Returns how far both sizes differ from their predictions, if they differ equally and by more than chance:
/// a factor that all steps share is due to the device, not to a size. Otherwise returns nothing.
std::optional<double> commonMiscorrelation(const ConfirmationSnapshot& snapshot)
{
    if (snapshot.sizes.size() < 2)
        return std::nullopt;
    const auto recommended = factorOf(snapshot.sizes[0]);
    const auto other = factorOf(snapshot.sizes[1]);
    if (!recommended || !other)
        return std::nullopt;
    const double common = std::sqrt(recommended->value * other->value) - 1.0;
    const double apart = other->value / recommended->value - 1.0;
    const double noiseApart = deviationsApart * std::hypot(recommended->noise, other->noise);
    // The mean of two values has half the noise of their difference.
    const bool isOfTheDevice = std::abs(common) > std::max(maxApart, noiseApart / 2.0) &&
                               std::abs(apart) <= std::max(maxApart, noiseApart);
    return isOfTheDevice ? std::optional(common) : std::nullopt;
}

/// Compares two sizes that were both measured.
QString comparisonText(const ConfirmationSnapshot& snapshot, const QLocale& locale)
{
    const ConfirmedSize& recommended = snapshot.sizes[0];
    const ConfirmedSize& other = snapshot.sizes[1];
    const QString first = numberText(recommended.predicted.microBatchSize, locale);
    const QString second = numberText(other.predicted.microBatchSize, locale);
    const QString batch = numberText(snapshot.batchSize, locale);
    if (!recommended.relativeError || !other.relativeError)
        return Translated::tr("%1 and %2 took too few steps to tell their noise; give them three at least.")
            .arg(first, second);

    const double lead = *recommended.achievedSamplesPerSecond / *other.achievedSamplesPerSecond - 1.0;
    const double noise = deviationsApart * std::hypot(*recommended.relativeError, *other.relativeError);
    if (std::abs(lead) <= noise)
        return Translated::tr("At a batch of %1 the recommended size, %2, and its runner-up, %3, are equally "
                              "fast as far as these steps tell: %4 apart, within a noise of %5.")
            .arg(batch, first, second, percentText(std::abs(lead), locale), percentText(noise, locale));
    if (lead > 0.0)
        return Translated::tr("Confirmed: at a batch of %1 the recommended size, %2, is %3 faster than its "
                              "runner-up, %4.")
            .arg(batch, first, percentText(lead, locale), second);

    const QString refuted = Translated::tr("Not confirmed: at a batch of %1 the runner-up, %2, is %3 faster "
                                           "than the recommended size, %4.")
                                .arg(batch, second, percentText(1.0 / (1.0 + lead) - 1.0, locale), first);
    const bool wasPredicted = other.predicted.samplesPerSecond > recommended.predicted.samplesPerSecond;
    return refuted + QLatin1Char(' ') +
           (wasPredicted
                ? Translated::tr("The trials predict that for whole steps of this batch; an "
                                 "exploration with the objective effective looks for the best size "
                                 "of it.")
                : Translated::tr("The trials predict the contrary; explore again while the device is "
                                 "quiet."));
}

} // namespace

std::optional<double> ConfirmedSize::miscorrelation() const
{
    if (!achievedSamplesPerSecond || predicted.samplesPerSecond <= 0.0)
        return std::nullopt;
    return *achievedSamplesPerSecond / predicted.samplesPerSecond - 1.0;
}

std::optional<double> ConfirmedSize::miscorrelationInterval() const
{
    const auto off = miscorrelation();
    if (!off || !relativeError)
        return std::nullopt;
    return engine::standardErrorsOf95Percent * (1.0 + *off) *
           std::hypot(*relativeError, predicted.relativeError);
}

bool ConfirmedSize::isFarOff() const
{
    // Largest error that a prediction aims at.
    constexpr double aim = 0.02;
    const auto interval = miscorrelationInterval();
    return interval && std::abs(*miscorrelation()) > std::max(aim, *interval);
}

bool ConfirmedSize::isDisturbed() const
{
    return achievedSamplesPerSecond && meanSamplesPerSecond &&
           std::abs(*meanSamplesPerSecond / *achievedSamplesPerSecond - 1.0) > maxApart;
}

QString verdictText(const ConfirmationSnapshot& snapshot, const QLocale& locale)
{
    if (snapshot.sizes.empty())
        return {};
    const ConfirmedSize& recommended = snapshot.sizes.front();
    const QString size = numberText(recommended.predicted.microBatchSize, locale);
    if (recommended.ranOutOfMemory)
        return Translated::tr("Memory ran out in whole steps of the recommended size, %1; explore again with "
                              "more headroom, or take a smaller size.")
            .arg(size);
    if (!recommended.achievedSamplesPerSecond)
        return unmeasuredText(recommended, locale);
    if (snapshot.sizes.size() < 2)
        return Translated::tr("The trials know no other size to compare %1 with: at a batch of %2 all that "
                              "run well are the same run.")
            .arg(size, numberText(snapshot.batchSize, locale));
    const ConfirmedSize& other = snapshot.sizes[1];
    if (other.ranOutOfMemory)
        return Translated::tr("Memory ran out in whole steps of the runner-up, %1, so the recommended size, "
                              "%2, stands alone.")
            .arg(numberText(other.predicted.microBatchSize, locale), size);
    if (!other.achievedSamplesPerSecond)
        return unmeasuredText(other, locale);
    return comparisonText(snapshot, locale);
}

QStringList confirmationRemarks(const ConfirmationSnapshot& snapshot, const QLocale& locale)
{
    QStringList remarks;
    if (!snapshot.sizes.empty() && snapshot.sizes.front().predicted.withoutOptimizer)
        remarks.append(Translated::tr("The trials lack the time of the optimizer step, and so do the "
                                      "predictions; explore again to include it."));
    if (!snapshot.exploredDevice.isEmpty()) {
        remarks.append(
            Translated::tr("The trials ran on another device (%1) than these steps (%2), so the predictions "
                           "are none of this one; explore on it to compare.")
                .arg(snapshot.exploredDevice, snapshot.device));
    }
    for (const ConfirmedSize& size : snapshot.sizes) {
        if (size.allocationRetries > 0)
            remarks.append(
                Translated::tr(
                    "The steps of %1 thrash: CUDA's allocator had to flush its cache %2 times, which "
                    "takes time. A smaller size is safer.")
                    .arg(numberText(size.predicted.microBatchSize, locale),
                         numberText(size.allocationRetries, locale)));
    }
    if (const auto common = commonMiscorrelation(snapshot)) {
        remarks.append(
            (*common < 0.0
                 ? Translated::tr(
                       "Both sizes reach some %1 less than predicted, as on a device that was faster while "
                       "it was explored. They took turns, so the comparison of the two holds.")
                 : Translated::tr(
                       "Both sizes reach some %1 more than predicted, as on a device that was slower while "
                       "it was explored. They took turns, so the comparison of the two holds."))
                .arg(percentText(std::abs(*common), locale)));
    }
    for (const ConfirmedSize& size : snapshot.sizes) {
        if (!size.isDisturbed())
            continue;
        const double apart = *size.meanSamplesPerSecond / *size.achievedSamplesPerSecond - 1.0;
        remarks.append((apart < 0.0
                            ? Translated::tr("Some steps of %1 stalled: all of them together reach %2 "
                                             "less than the typical one, which is what is shown. "
                                             "Repeat it while the device is quiet.")
                            : Translated::tr("The steps of %1 were uneven: all of them together reach "
                                             "%2 more than the typical one, which is what is shown. "
                                             "Repeat it while the device is quiet."))
                           .arg(numberText(size.predicted.microBatchSize, locale),
                                percentText(std::abs(apart), locale)));
    }
    return remarks;
}

} // namespace batchpeak::training

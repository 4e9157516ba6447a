// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recommendation_text.h"

#include "text/comparison_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

using search::Reason;
using Cause = search::Instability::Cause;

// A rival less likely than this is not worth a sentence.
constexpr double mentionedRival = 0.05;
// From this confidence on, reasons against the size are not mentioned.
constexpr int doubtedBelowPercent = 90;
// A smaller lead would be shown as 0.0 %.
constexpr double minLead = 0.0005;

class Sentences
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::Reason)

public:
    Sentences(const search::SearchState& searchState, const QLocale& locale, bool isStopped,
              const QString& speedMark)
        : m_best(*searchState.recommendation),
          m_reason(m_best.reason),
          m_searchState(searchState),
          m_locale(locale),
          m_speedMark(speedMark),
          m_hasEnded(isStopped || searchState.status != search::SearchState::Status::Searching)
    {}

    QString text() const
    {
        QStringList sentences{why()};
        if (m_best.confidence < doubtedBelowPercent && m_reason.instability.cause != Cause::None)
            sentences.append(instability());
        if (m_hasEnded)
            return sentences.join(QLatin1Char(' '));
        if (m_reason.kind == Reason::Kind::Compared && m_reason.rival > 0 &&
            m_reason.rivalProbability >= mentionedRival)
            sentences.append(
                tr("%1 may be faster (probability %2 %).")
                    .arg(number(m_reason.rival), number(std::llround(100 * m_reason.rivalProbability))));
        if (!m_reason.comparedNext.empty())
            sentences.append(tr("Next: %1.").arg(comparingText(m_reason.comparedNext, m_locale)));
        else if (m_reason.next > 0)
            sentences.append(m_reason.next == m_best.size ? tr("Next: %1 again.").arg(number(m_reason.next))
                                                          : tr("Next: %1.").arg(number(m_reason.next)));
        return sentences.join(QLatin1Char(' '));
    }

private:
    QString why() const
    {
        switch (m_reason.kind) {
        case Reason::Kind::TooEarly:
            return tr("%1 is the fastest of the first sizes. A comparison needs more trials.").arg(size());
        case Reason::Kind::Climbing:
            return climbing();
        case Reason::Kind::Compared:
            return compared();
        case Reason::Kind::MemoryEnds:
            return memoryEnds();
        case Reason::Kind::Verified:
            return tr("%1 is the only size asked for, and it runs.").arg(size());
        case Reason::Kind::AllTried:
            return tr("All allowed sizes were measured: %1.").arg(lead());
        }
        return {};
    }

    QString climbing() const
    {
        if (m_reason.largestPredictedFit > m_best.size)
            return tr("Throughput is still rising at %1, so a larger size is probably faster; about %2 "
                      "should fit in memory.")
                .arg(size(), number(m_reason.largestPredictedFit));
        return tr("Throughput is still rising at %1, so a larger size is probably faster.").arg(size());
    }

    QString compared() const
    {
        if (m_reason.largestPredictedFit > m_best.size)
            return tr("%1; about %2 should fit in memory.").arg(lead(), number(m_reason.largestPredictedFit));
        return tr("%1.").arg(lead());
    }

    QString memoryEnds() const
    {
        if (m_reason.largestPredictedFit > m_best.size)
            return tr("Limited by memory: about %1 should still fit, and %2 is the fastest measured.")
                .arg(number(m_reason.largestPredictedFit), size());
        return tr("Limited by memory: %1 is the largest size that fits.").arg(size());
    }

    QString instability() const
    {
        const QString percent = number(std::llround(100 * m_reason.instability.size));
        switch (m_reason.instability.cause) {
        case Cause::Drift:
            return tr("Sizes are hard to tell apart: the device's speed drifts by about %1 %.").arg(percent);
        case Cause::Noise:
            return tr("Sizes are hard to tell apart: trials of one size differ by about %1 %.")
                .arg(m_locale.toString(100 * m_reason.instability.size, 'g', 2));
        case Cause::OtherTenants:
            return tr("Sizes are hard to tell apart: other programs disturbed %1 % of the last trials.")
                .arg(percent);
        case Cause::None:
            break;
        }
        return {};
    }

    // "64 is 3.1 % faster than 48, the next best"
    QString lead() const
    {
        if (m_reason.runnerUp <= 0)
            return tr("%1 is the fastest so far").arg(size());
        const QString percent = m_locale.toString(100 * m_reason.leadOverRunnerUp, 'f', 1);
        if (m_reason.leadOverRunnerUp >= minLead)
            return tr("%1 is %2 % faster than %3, the next best")
                .arg(withSpeed(m_best.size), percent, withSpeed(m_reason.runnerUp));
        return tr("%1 and %2 cannot be told apart; %1 has the lower expected loss")
            .arg(size(), number(m_reason.runnerUp));
    }

    /// "64 (812 samples/s)": the lead that is shown is the ratio of two such numbers.
    QString withSpeed(std::int64_t size) const
    {
        const search::SizeEstimate* estimate = m_searchState.estimateOf(size);
        if (!estimate)
            return number(size);
        return tr("%1 (%2 samples/s)")
            .arg(number(size), m_speedMark + comparedRateText(estimate->samplesPerSecond, m_locale));
    }
    QString size() const { return number(m_best.size); }
    QString number(std::int64_t value) const { return numberText(value, m_locale); }

    const search::Recommendation& m_best;
    const Reason& m_reason;
    const search::SearchState& m_searchState;
    const QLocale& m_locale;
    const QString& m_speedMark;
    bool m_hasEnded;
};

using Kind = search::SpeedLimit::Kind;
using VerificationOutcome = Verification::Outcome;

/// "0.5", "20": two digits suffice; but 'g' would write 100 as 1e+02.
QString percent(double share, const QLocale& locale)
{
    constexpr double largestOfTwoDigits = 99.5;
    const double value = 100.0 * share;
    return value < largestOfTwoDigits ? locale.toString(value, 'g', 2) : locale.toString(value, 'f', 0);
}

/// ": 512 samples/s, peak 3.1 GiB, 1.2 GiB of the limit left"
QString figures(const Verification& verification, const QLocale& locale)
{
    QStringList parts;
    if (verification.samplesPerSecond)
        parts << Translated::tr("%1%2 samples/s")
                     .arg(verification.speedMark, comparedRateText(*verification.samplesPerSecond, locale));
    if (verification.peakReservedBytes > 0)
        parts << Translated::tr("peak %1").arg(verification.memoryMark +
                                               bytesText(verification.peakReservedBytes, locale));
    if (verification.spareBytes && *verification.spareBytes >= 0)
        parts << Translated::tr("%1 of the limit left").arg(bytesText(*verification.spareBytes, locale));
    return parts.isEmpty() ? QString() : QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

} // namespace

QString reasonText(const search::SearchState& searchState, const QLocale& locale,
                   std::optional<FinishStatus> finish, const QString& speedMark)
{
    return searchState.recommendation ? Sentences(searchState, locale, finish.has_value(), speedMark).text()
                                      : QString();
}

QString smallerSizeText(const SmallerSize& smaller, const QLocale& locale)
{
    const QString within = Translated::tr("%1 is within %2 %")
                               .arg(numberText(smaller.size, locale), percent(smaller.tolerance, locale));
    const std::int64_t saved = smaller.recommendedPeakBytes - smaller.peakBytes;
    if (smaller.peakBytes <= 0 || saved <= 0)
        return Translated::tr("%1 too.").arg(within);
    return Translated::tr("%1 and takes %2 less.").arg(within, bytesText(saved, locale));
}

QString besideOthersText(const Snapshot& snapshot, const QLocale& locale)
{
    // An idle computer itself takes less than this.
    constexpr double minTold = 0.1;
    // Trials have equal weight, as in the speeds that are shown (search::LongRun).
    double taken = 0.0;
    double foreign = 0.0;
    int trials = 0;
    double min = 1.0;
    double max = 0.0;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (trial.outcome != trial::Outcome::Ok || !trial.readings.contention)
            continue;
        min = std::min(min, *trial.readings.contention);
        max = std::max(max, *trial.readings.contention);
        taken += *trial.readings.contention;
        foreign += trial.readings.foreignProcessors.value_or(0.0);
        ++trials;
    }
    if (trials == 0 || taken < minTold * trials)
        return {};
    const bool isOnCpu = snapshot.isOnCpu();
    // A lower clock rate is contention too, but not another program.
    if (isOnCpu && foreign < minTold * trials)
        return {};
    const bool isMixed = !isOnCpu && std::ranges::any_of(snapshot.devices, [](const DeviceSnapshot& device) {
        return kindOfDevice(device.id) == QLatin1String("cpu");
    });
    QString taking =
        isOnCpu
            ? Translated::tr("Samples/s were measured while other programs kept %1 processors busy.")
                  .arg(locale.toString(foreign / trials, 'f', 1))
            : (isMixed
                   ? Translated::tr("Samples/s were measured while other programs used %1 % of the devices.")
                   : Translated::tr("Samples/s were measured while other programs used %1 % of the GPU."))
                  .arg(percent(taken / trials, locale));
    // Speeds that differ by this factor visibly deviate from the line of their means.
    constexpr double minFactor = 1.3;
    if (1.0 - min <= minFactor * (1.0 - max))
        return taking;
    return Translated::tr("%1 Single trials differ from the mean of their size, because they got between %2 "
                          "and %3 % of the device.")
        .arg(taking, percent(1.0 - max, locale), percent(1.0 - min, locale));
}

QString speedLimitWord(const search::SpeedLimit& limit, bool isOnCpu, const QLocale& locale)
{
    switch (limit.kind) {
    case Kind::LaunchBound:
        return isOnCpu ? Translated::tr("fixed cost per step") : Translated::tr("launch-bound");
    case Kind::Saturated:
        return Translated::tr("saturated");
    case Kind::TileQuantized:
        return Translated::tr("tile-quantized, %1").arg(numberText(limit.period, locale));
    case Kind::MemoryThrashing:
        return Translated::tr("memory-thrashing");
    case Kind::Unknown:
        break;
    }
    return {};
}

QString speedLimitText(const search::SpeedLimit& limit, bool isOnCpu, const QLocale& locale)
{
    switch (limit.kind) {
    case Kind::LaunchBound:
        return (isOnCpu
                    ? Translated::tr("Fixed cost per step: %1 % of a step is the same at any size; twice the "
                                     "size would gain %2 % if it fit.")
                    : Translated::tr("Launch-bound: %1 % of a step is the same at any size; twice the size "
                                     "would gain %2 % if it fit."))
            .arg(percent(limit.overheadShare, locale), percent(limit.doublingGain, locale));
    case Kind::Saturated:
        return Translated::tr(
                   "Saturated: %1 % of a step is work per sample, so a larger size gains almost nothing.")
            .arg(percent(1.0 - limit.overheadShare, locale));
    case Kind::TileQuantized:
        return Translated::tr("Tile-quantized: one sample above a multiple of %1 makes a step %2 % longer.")
            .arg(numberText(limit.period, locale), percent(limit.jump, locale));
    case Kind::MemoryThrashing:
        return Translated::tr("Memory-thrashing: samples/s fall as memory runs out.");
    case Kind::Unknown:
        break;
    }
    return {};
}

QString verificationText(const Verification& verification, const QLocale& locale)
{
    const QString size = numberText(verification.size, locale);
    switch (verification.outcome) {
    case VerificationOutcome::Pending:
        return Translated::tr("Verifying %1 in a fresh process.").arg(size);
    case VerificationOutcome::Confirmed:
        return Translated::tr("%1 was confirmed in a fresh process%2.")
            .arg(size, figures(verification, locale));
    case VerificationOutcome::Slower:
        return Translated::tr("%1 was slower in a fresh process than the %2 samples/s expected%3.")
            .arg(size,
                 verification.speedMark + comparedRateText(verification.expectedSamplesPerSecond, locale),
                 figures(verification, locale));
    case VerificationOutcome::Failed:
        return Translated::tr("%1 failed in a fresh process and is no longer recommended.").arg(size);
    case VerificationOutcome::NotRun:
        break;
    }
    return Translated::tr("%1 was not verified in a fresh process; the recommendation relies on its trials.")
        .arg(size);
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "speed_text.h"

#include "readable_text.h"

#include <QCoreApplication>
#include <QStringList>

namespace batchpeak::engine {

namespace {

using Kind = search::SpeedLimit::Kind;
using Outcome = Verification::Outcome;

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::Speed)
};

QString number(std::int64_t value, const QLocale& locale)
{
    return locale.toString(static_cast<qlonglong>(value));
}

/// "0.5", "20": two digits say enough.
QString percent(double share, const QLocale& locale)
{
    return locale.toString(100.0 * share, 'g', 2);
}

/// ": 512 samples/s, peak 3.1 GiB, 1.2 GiB of the limit left"
QString figures(const Verification& verification, const QLocale& locale)
{
    QStringList parts;
    if (verification.samplesPerSecond)
        parts << Translated::tr("%1 samples/s").arg(locale.toString(*verification.samplesPerSecond, 'g', 4));
    if (verification.peakReservedBytes > 0)
        parts << Translated::tr("peak %1").arg(bytesText(verification.peakReservedBytes, locale));
    if (verification.spareBytes && *verification.spareBytes >= 0)
        parts << Translated::tr("%1 of the limit left").arg(bytesText(*verification.spareBytes, locale));
    return parts.isEmpty() ? QString() : QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

} // namespace

QString smallerSizeText(const SmallerSize& smaller, const QLocale& locale)
{
    const QString within = Translated::tr("%1 is within %2 %")
                               .arg(number(smaller.size, locale), percent(smaller.tolerance, locale));
    const std::int64_t saved = smaller.recommendedPeakBytes - smaller.peakBytes;
    if (smaller.peakBytes <= 0 || saved <= 0)
        return Translated::tr("%1 too.").arg(within);
    return Translated::tr("%1 and leaves %2 more.").arg(within, bytesText(saved, locale));
}

QString speedLimitWord(const search::SpeedLimit& limit, const QLocale& locale)
{
    switch (limit.kind) {
    case Kind::LaunchBound:
        return Translated::tr("launch-bound");
    case Kind::Saturated:
        return Translated::tr("saturated");
    case Kind::TileQuantised:
        return Translated::tr("tile-quantised, %1").arg(number(limit.period, locale));
    case Kind::MemoryThrashing:
        return Translated::tr("memory-thrashing");
    case Kind::Unknown:
        break;
    }
    return {};
}

QString speedLimitText(const search::SpeedLimit& limit, const QLocale& locale)
{
    switch (limit.kind) {
    case Kind::LaunchBound:
        return Translated::tr(
                   "Launch-bound: %1 % of a step is the same at any size, and twice the size would gain %2 % "
                   "if it fitted.")
            .arg(percent(limit.overheadShare, locale), percent(limit.doublingGain, locale));
    case Kind::Saturated:
        return Translated::tr("Saturated: work per sample takes %1 % of a step, and a larger size gains "
                              "nothing that counts.")
            .arg(percent(1.0 - limit.overheadShare, locale));
    case Kind::TileQuantised:
        return Translated::tr("Tile-quantised: one sample above a multiple of %1 makes a step %2 % longer.")
            .arg(number(limit.period, locale), percent(limit.jump, locale));
    case Kind::MemoryThrashing:
        return Translated::tr("Memory-thrashing: samples/s fall where memory runs out.");
    case Kind::Unknown:
        break;
    }
    return {};
}

QString verificationText(const Verification& verification, const QLocale& locale)
{
    const QString size = number(verification.size, locale);
    switch (verification.outcome) {
    case Outcome::Pending:
        return Translated::tr("Verifying %1 in a fresh process.").arg(size);
    case Outcome::Confirmed:
        return Translated::tr("%1 was confirmed in a fresh process%2.")
            .arg(size, figures(verification, locale));
    case Outcome::Slower:
        return Translated::tr("%1 was slower in a fresh process than the %2 samples/s expected%3.")
            .arg(size, locale.toString(verification.expectedSamplesPerSecond, 'g', 4),
                 figures(verification, locale));
    case Outcome::Failed:
        return Translated::tr("%1 failed in a fresh process, and is not recommended any more.").arg(size);
    case Outcome::NotRun:
        break;
    }
    return Translated::tr("%1 was not verified in a fresh process; the recommendation stands on its trials.")
        .arg(size);
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_text.h"

#include "text/comparison_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace batchpeak::engine {

namespace {

using trial::Purpose;

// A reader of "1 s left" would wait for it.
constexpr double moment = 2.0;
constexpr double minute = 60.0;

QString purposeOf(const TrialPlan& plan, const QString& size, const QLocale& locale)
{
    switch (plan.why) {
    case Purpose::FirstSizes:
        return Translated::tr("%1, one of the first sizes, to see how time and memory scale").arg(size);
    case Purpose::Climbing:
        return Translated::tr("%1, since throughput is still rising").arg(size);
    case Purpose::Memory:
        return Translated::tr("%1, to find the memory limit").arg(size);
    case Purpose::Rival:
        if (plan.against > 0)
            return Translated::tr("%1, which may be faster than %2")
                .arg(size, numberText(plan.against, locale));
        return Translated::tr("%1, which may be the fastest").arg(size);
    case Purpose::Remeasuring:
        if (plan.against > 0)
            return Translated::tr("%1 again, to distinguish it from %2")
                .arg(size, numberText(plan.against, locale));
        return Translated::tr("%1 again, for a more precise time").arg(size);
    case Purpose::Comparison:
        return Translated::tr("%1 interleaved, to compare them").arg(sizesText(plan.sizes, locale));
    case Purpose::Repetition:
        return Translated::tr("%1 again, since it was disturbed").arg(size);
    case Purpose::Retry:
        return Translated::tr("%1 again, since its worker died").arg(size);
    case Purpose::Verification:
        return Translated::tr("%1 in a fresh process, to verify it").arg(size);
    case Purpose::Asked:
        return Translated::tr("%1, as you asked").arg(size);
    case Purpose::OnlySize:
        break;
    }
    return Translated::tr("%1, the only size asked for").arg(size);
}

/// Rounds to a step that suits the duration: 48 s to 50 s, 4 min 40 s to 5 min.
double rounded(double seconds)
{
    const double step = seconds < 10.0            ? 1.0
                        : seconds < 1.5 * minute  ? 10.0
                        : seconds < 10.0 * minute ? minute
                        : seconds < 90.0 * minute ? 5.0 * minute
                                                  : 30.0 * minute;
    return std::max(1.0, std::round(seconds / step)) * step;
}

} // namespace

QString purposeText(const TrialPlan& plan, const QLocale& locale)
{
    return purposeOf(plan, plan.sizes.empty() ? QString() : numberText(plan.sizes.front(), locale), locale);
}

QString planText(const TrialPlan& plan, const QLocale& locale)
{
    const QString text = purposeText(plan, locale);
    return plan.number > 0 ? Translated::tr("Now: %1.").arg(text) : Translated::tr("Next: %1.").arg(text);
}

QString roughDurationText(double seconds)
{
    return durationText(std::chrono::milliseconds(std::llround(1000.0 * rounded(seconds))));
}

QString likelyTimeLeftText(const search::Estimate& secondsLeft)
{
    if (secondsLeft.likely < moment)
        return Translated::tr("a few seconds left");
    return Translated::tr("about %1 left").arg(roughDurationText(secondsLeft.likely));
}

QString timeLeftRangeText(const search::Estimate& secondsLeft)
{
    const QString low = roughDurationText(secondsLeft.low);
    const QString high = roughDurationText(secondsLeft.high);
    if (secondsLeft.likely < moment || low == high)
        return {};
    if (secondsLeft.low < moment)
        return Translated::tr("(at most %1)").arg(high);
    return Translated::tr("(%1 to %2)").arg(low, high);
}

QString timeLeftText(const search::Estimate& secondsLeft)
{
    const QString range = timeLeftRangeText(secondsLeft);
    const QString likely = likelyTimeLeftText(secondsLeft);
    return range.isEmpty() ? likely : likely + QLatin1Char(' ') + range;
}

QString setbackText(int moreTrials)
{
    if (moreTrials == 1)
        return Translated::tr("1 more trial needed than expected");
    return moreTrials > 1 ? Translated::tr("%1 more trials needed than expected").arg(moreTrials)
                          : Translated::tr("trials take longer than expected");
}

QString setbackLine(double before, double after, const QString& why, const QLocale& locale)
{
    return Translated::tr("Progress corrected from %1 to %2: %3.")
        .arg(percentText(before, locale, 0), percentText(after, locale, 0), why);
}

} // namespace batchpeak::engine

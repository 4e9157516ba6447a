// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_text.h"

#include "readable_text.h"
#include "translated.h"

#include <QStringList>

#include <cmath>

namespace batchpeak::engine {

QString sizesText(const std::vector<std::int64_t>& sizes, const QLocale& locale)
{
    QStringList texts;
    for (const std::int64_t size : sizes)
        texts.append(numberText(size, locale));
    if (texts.size() < 2)
        return texts.join(QString());
    const QString last = texts.takeLast();
    return Translated::tr("%1 and %2", "the last two of a list").arg(texts.join(QLatin1String(", ")), last);
}

std::vector<std::int64_t> comparedSizes(const trial::TrialRecord& trial)
{
    std::vector<std::int64_t> sizes;
    for (const trial::ComparedRecord& size : trial.compared)
        sizes.push_back(size.microBatchSize);
    return sizes;
}

QString comparingText(const std::vector<std::int64_t>& sizes, const QLocale& locale)
{
    return Translated::tr("comparing %1").arg(sizesText(sizes, locale));
}

QString leadText(const trial::Contrast& contrast, const QLocale& locale)
{
    const double error = contrast.standardError.value_or(0.0);
    // Hundredths of a percent if the error is that small.
    const int decimals = error > 0.0 && error < 0.0005 ? 2 : 1;
    QString lead = percentText(contrast.lead, locale, decimals);
    if (!contrast.standardError)
        return lead;
    return Translated::tr("%1 ± %2", "a share in percent and its standard error")
        .arg(lead, locale.toString(100.0 * error, 'f', decimals));
}

QString contrastText(const trial::Contrast& contrast, const QLocale& locale)
{
    const QString leader = numberText(contrast.leader, locale);
    const QString runnerUp = numberText(contrast.runnerUp, locale);
    const QString lead = leadText(contrast, locale);
    if (!contrast.isClear())
        return Translated::tr("%1 and %2 cannot be told apart (%3)").arg(leader, runnerUp, lead);
    return Translated::tr("%1 is %2 faster than %3").arg(leader, lead, runnerUp);
}

QString comparedText(const trial::TrialRecord& trial, const QLocale& locale)
{
    const QString sizes = sizesText(comparedSizes(trial), locale);
    if (trial.isRunning())
        return comparingText(comparedSizes(trial), locale);
    if (trial.microBatchSize > 0)
        return Translated::tr("comparing %1 ended at %2")
            .arg(sizes, numberText(trial.microBatchSize, locale));
    const auto contrast = trial::contrastOf(trial.compared);
    if (trial.outcome != trial::Outcome::Ok || trial.thrashes || !contrast)
        return Translated::tr("comparison of %1 discarded").arg(sizes);
    return Translated::tr("compared %1 in %2 visits each: %3")
        .arg(sizes, numberText(trial.visits, locale), contrastText(*contrast, locale));
}

} // namespace batchpeak::engine

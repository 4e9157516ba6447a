// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "writing_rule.h"

#include "readable_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::WritingRule)
};

// As likely right as wrong.
constexpr double usualLeast = 0.5;

} // namespace

int leastConfidenceToWrite(const ExplorationOptions& options)
{
    const double least = options.minConfidence.value_or(std::min(usualLeast, options.targetConfidence));
    return static_cast<int>(std::lround(100.0 * least));
}

bool isSureEnoughToWrite(const Snapshot& snapshot, const ExplorationOptions& options)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    return recommendation && recommendation->confidence >= leastConfidenceToWrite(options);
}

QString doubtText(const Snapshot& snapshot, const ExplorationOptions& options, const QLocale& locale)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation || isSureEnoughToWrite(snapshot, options))
        return {};
    return Translated::tr("The confidence in %1 is %2 (out of 100), and writing it takes %3.")
        .arg(numberText(recommendation->size, locale), numberText(recommendation->confidence, locale),
             numberText(leastConfidenceToWrite(options), locale));
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "writing_rule.h"

#include "config/smaller_run.h"
#include "measured_sizes.h"
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

bool isOfSmallerNetwork(const Snapshot& snapshot)
{
    return snapshot.run && config::isOfSmallerNetwork(snapshot.run->fidelity);
}

} // namespace

int leastConfidenceToWrite(const ExplorationOptions& options)
{
    const double least = options.minConfidence.value_or(std::min(usualLeast, options.targetConfidence));
    return static_cast<int>(std::lround(100.0 * least));
}

bool isSureEnoughToWrite(const Snapshot& snapshot, const ExplorationOptions& options)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    return recommendation && !isOfSmallerNetwork(snapshot) &&
           recommendation->confidence >= leastConfidenceToWrite(options);
}

QString doubtText(const Snapshot& snapshot, const ExplorationOptions& options, const QLocale& locale,
                  std::optional<std::int64_t> selected)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (isOfSmallerNetwork(snapshot) && (recommendation || selected)) {
        return Translated::tr("%1 was found of a smaller network than the config's.")
            .arg(numberText(selected.value_or(recommendation ? recommendation->size : 0), locale));
    }
    if (selected || !recommendation || isSureEnoughToWrite(snapshot, options))
        return {};
    return Translated::tr("Confidence is %1 %, below the required %2 %.")
        .arg(numberText(recommendation->confidence, locale),
             numberText(leastConfidenceToWrite(options), locale));
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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "exploration_plan.h"
#include "options/exploration_options.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::engine {

/// What a plan leaves to a person to decide, since the sizes that it explores and the batch of the config do
/// not always go together; with what to ask for instead.
struct PlanOffer
{
    enum class Kind {
        /// Explores only the sizes that keep the batch.
        KeepBatch,
        /// Explores all sizes, and the batch follows.
        AllSizes,
        /// Explores training and evaluation, for a trainer that refuses a size for one of them alone.
        BothPhases
    };
    Kind kind = Kind::KeepBatch;
    /// What holds without it, as a sentence.
    QString reason;
    /// "Keep the batch"
    QString label;
    /// The options that take the offer.
    ExplorationOptions options;
    /// The same behind "batchpeak explore FILE": "--setting auto"
    QString words;
};

/// The one of BothPhases; nothing where a size for one phase alone is as good.
std::optional<PlanOffer> offerOfBothPhases(const config::ConfigContents& contents,
                                           const ExplorationOptions& options);

/// \param plan  what the contents and the options come to
std::vector<PlanOffer> planOffers(const config::ConfigContents& contents, const ExplorationOptions& options,
                                  const ExplorationPlan& plan);

} // namespace batchpeak::engine

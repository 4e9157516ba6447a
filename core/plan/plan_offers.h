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

/// A choice that a plan leaves to a person, since the sizes that it explores do not always fit the batch of
/// the config, and the options for the alternative.
struct PlanOffer
{
    enum class Kind {
        /// Explores only the sizes that keep the batch.
        KeepBatch,
        /// Explores all sizes, and the batch changes accordingly.
        AllSizes,
        /// Explores training and evaluation, for a trainer that refuses a size for one of them alone.
        BothPhases
    };
    Kind kind = Kind::KeepBatch;
    /// What applies if the offer is not taken, as a sentence.
    QString reason;
    /// "Keep the batch"
    QString label;
    /// Options that take the offer.
    ExplorationOptions options;
    /// The same as command-line options of "batchpeak explore FILE": "--setting auto"
    QString words;
};

/// Returns the offer BothPhases; nothing if a size for one phase alone is equally good.
std::optional<PlanOffer> offerOfBothPhases(const config::ConfigContents& contents,
                                           const ExplorationOptions& options);

/// \param plan  plan that follows from the contents and the options
std::vector<PlanOffer> planOffers(const config::ConfigContents& contents, const ExplorationOptions& options,
                                  const ExplorationPlan& plan);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_offers.h"

#include "phase_sequence.h"
#include "text/batch_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <variant>

namespace batchpeak::engine {

namespace {

using Kind = PlanOffer::Kind;

/// Returns the options with that setting, given explicitly or by default.
template<typename Wanted>
ExplorationOptions askingFor(ExplorationOptions options, const config::BatchPlan& ofConfig)
{
    options.setting.reset();
    if (!std::holds_alternative<Wanted>(settingAsked(ofConfig, options)))
        options.setting = Wanted{};
    return options;
}

PlanOffer keepBatch(const config::ConfigContents& contents, const config::BatchPlan& ofConfig,
                    const ExplorationOptions& options)
{
    const QString batch = numberText(ofConfig.perDeviceBatch());
    return {.kind = Kind::KeepBatch,
            .reason =
                contents.rules.takesUnevenSizes()
                    ? Translated::tr("A size above the batch of %1 can only be written with a larger batch.")
                          .arg(batch)
                    : Translated::tr("A size that does not divide the batch of %1 can only be written with "
                                     "another batch.")
                          .arg(batch),
            .label = Translated::tr("Keep the batch"),
            .options = askingFor<config::Auto>(options, ofConfig),
            .words = QStringLiteral("--setting auto")};
}

PlanOffer allSizes(const config::ConfigContents& contents, const config::BatchPlan& ofConfig,
                   const ExplorationOptions& options)
{
    const QString batch = numberText(ofConfig.perDeviceBatch());
    return {.kind = Kind::AllSizes,
            .reason = contents.rules.takesUnevenSizes()
                          ? Translated::tr("Only the divisors of %1 are explored; other sizes up to it keep "
                                           "the batch, too.")
                                .arg(batch)
                          : Translated::tr("These sizes keep the batch of %1; to write another one changes "
                                           "the batch.")
                                .arg(batch),
            .label = Translated::tr("Explore all sizes"),
            .options = askingFor<config::Explore>(options, ofConfig),
            .words = QStringLiteral("--setting explore")};
}

PlanOffer bothPhases(ExplorationOptions options)
{
    const model::Phase other =
        options.phase == model::Phase::Train ? model::Phase::Eval : model::Phase::Train;
    PlanOffer offer{.kind = Kind::BothPhases,
                    .reason = Translated::tr("If a size is written for %1 only, the config still has explore "
                                             "for %2, which Cerebras refuses in a run of both phases.")
                                  .arg(phaseText(options.phase), phaseText(other)),
                    .label = Translated::tr("Explore both phases"),
                    .words = QStringLiteral("--phase both")};
    options.phase = model::Phase::Train;
    options.bothPhases = true;
    offer.options = std::move(options);
    return offer;
}

} // namespace

std::optional<PlanOffer> offerOfBothPhases(const config::ConfigContents& contents,
                                           const ExplorationOptions& options)
{
    const bool isMixed = contents.rules.exploresBothPhasesOrNone && !options.bothPhases && contents.train &&
                         contents.train->explores() && contents.eval && contents.eval->explores();
    return isMixed ? std::optional(bothPhases(options)) : std::nullopt;
}

std::vector<PlanOffer> planOffers(const config::ConfigContents& contents, const ExplorationOptions& options,
                                  const ExplorationPlan& plan)
{
    std::vector<PlanOffer> offers;
    const auto& ofConfig = contents.plan(options.phase);
    if (!ofConfig)
        return offers;
    const bool asksForAuto = std::holds_alternative<config::Auto>(ofConfig->setting);
    if (plan.run.plan.explores() && hasMicroBatches(*ofConfig) && ofConfig->perDeviceBatch() > 1 &&
        plan.space.maximum > ofConfig->perDeviceBatch())
        offers.push_back(keepBatch(contents, *ofConfig, options));
    else if (std::holds_alternative<config::Auto>(plan.run.plan.setting) && !asksForAuto)
        offers.push_back(allSizes(contents, *ofConfig, options));
    if (const auto offer = offerOfBothPhases(contents, options))
        offers.push_back(*offer);
    return offers;
}

} // namespace batchpeak::engine

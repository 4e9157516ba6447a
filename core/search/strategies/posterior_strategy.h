// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "knowledge_gradient.h"
#include "searching_strategy.h"

namespace batchpeak::search {

/// Probes at 1, 8 and 64 (or at the space's starting hint, if that is lower, and also there, if it is
/// higher), then always the trial that is worth its time most, until the recommended size is good enough with
/// the confidence asked for.
///
/// What a trial is worth comes from KnowledgeGradient, and which sizes may be tried from TrialSafety.
class PosteriorStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit PosteriorStrategy(const SearchSpace& space);

    void recall(std::span<const Measurement> measurements) override { learnFromEarlier(measurements); }
    Abilities abilities() const override;

private:
    std::optional<Choice> choose() const override;
    Forecast forecast(const std::optional<Choice>& next) const override;

    bool isProbing() const;
    std::optional<std::int64_t> probe() const;
    std::optional<Choice> chooseByGain() const;
    std::optional<Choice> untried() const;
    /// Further trials would hardly ever find another size.
    bool isAsGoodAsFound() const;
    /// Trials before it is, by the loss that is expected now; those of the whole search where that is too
    /// much.
    int trialsBeforeAsGoodAsFound() const;
    /// A larger size whose trial would take long beside all trials so far, and hardly gain anything.
    bool isTooCostly(std::int64_t size) const;
    bool isTooCostly(const KnowledgeGradient::Comparison& comparison) const;
    double chanceNear(std::int64_t size) const;
    /// Good sizes that may be recommended and leave some room.
    std::vector<std::int64_t> comparableSizes() const;
    std::optional<std::int64_t> bestToRepeat() const;
};

} // namespace batchpeak::search

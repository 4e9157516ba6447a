// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "knowledge_gradient.h"
#include "searching_strategy.h"

namespace batchpeak::search {

/// Probes the sizes 1, 8 and 64 (the space's starting hint replaces the next probe if it is lower, and is
/// also probed if it is higher). Then it always runs the trial that is most worth its time, until the
/// recommended size is good enough with the requested confidence.
///
/// KnowledgeGradient determines what a trial is worth, and TrialSafety which sizes may be tried.
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
    /// Whether further trials would hardly ever find another size.
    bool isAsGoodAsFound() const;
    /// Returns the number of trials before it is, given the loss that is expected now; that of the whole
    /// search if the loss is too large.
    int trialsBeforeAsGoodAsFound() const;
    /// Whether the size is a larger one whose trial would take long compared with all trials so far, and
    /// would hardly gain anything.
    bool isTooCostly(std::int64_t size) const;
    bool isTooCostly(const KnowledgeGradient::Comparison& comparison) const;
    double chanceNear(std::int64_t size) const;
    /// Returns good sizes that may be recommended and leave some memory free.
    std::vector<std::int64_t> comparableSizes() const;
    std::optional<std::int64_t> bestToRepeat() const;
};

} // namespace batchpeak::search

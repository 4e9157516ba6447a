// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "step_time_fit.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

/// Joint draws of a whole step-time curve: what every path has in common with the trials is known, where
/// they part it is not.
struct SamplePaths
{
    /// Ascending; one column for each.
    std::vector<std::int64_t> sizes;
    std::size_t count = 0;
    /// ln of the time of one micro-batch [s], without the noise of a measurement; path after path.
    std::vector<double> logSeconds;

    std::span<const double> path(std::size_t index) const
    {
        return std::span(logSeconds).subspan(index * sizes.size(), sizes.size());
    }
};

/// The step-time curve given the trials, averaged over how rough it may be: a grid of roughnesses, each
/// weighted by its marginal likelihood. With few trials a best roughness alone would be sure of itself.
class StepTimePosterior
{
public:
    /// \param trials  at least one, with positive sizes and times
    explicit StepTimePosterior(std::vector<TimedSize> trials);

    /// \param sizes  ascending, each once, those of the trials among them
    SamplePaths draw(std::vector<std::int64_t> sizes, std::size_t count, RandomSource& random) const;

private:
    std::vector<TimedSize> m_trials;
    std::vector<StepTimeFit> m_fits;
    /// Add up to 1.
    std::vector<double> m_weights;
};

} // namespace batchpeak::search

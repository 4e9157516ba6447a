// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_time_draws.h"

#include "curve/sample_paths.h"
#include "random_source.h"
#include "throughput.h"

#include <cmath>
#include <set>

namespace batchpeak::search {

namespace {

// The mean of so many draws, each off by a few percent at most, is known to a fraction of one.
constexpr int draws = 512;
constexpr std::uint64_t seed = 1;

} // namespace

StepTimeDraws::StepTimeDraws(const std::vector<Measurement>& timed, std::span<const std::int64_t> sizes)
{
    std::set<std::int64_t> all(sizes.begin(), sizes.end());
    for (const Measurement& trial : timed)
        all.insert(trial.size);
    m_sizes.assign(all.begin(), all.end());

    Observations trials(timed);
    RandomSource random(seed);
    const SamplePaths paths = drawSamplePaths(
        trials, weighCurveModels(trials, static_cast<double>(m_sizes.back())), m_sizes, draws, random);
    for (const auto& path : paths.logSeconds.colwise()) {
        auto& seconds = m_seconds.emplace_back();
        for (const double logSeconds : path)
            seconds.push_back(std::exp(logSeconds));
    }
}

double StepTimeDraws::seconds(std::size_t draw, std::int64_t size) const
{
    return interpolatedSeconds(m_sizes, m_seconds[draw], size);
}

} // namespace batchpeak::search

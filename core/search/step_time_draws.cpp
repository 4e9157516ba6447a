// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_time_draws.h"

#include "curve/long_run.h"
#include "curve/sample_paths.h"
#include "random_source.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace batchpeak::search {

namespace {

// The mean of this many draws, each off by a few percent at most, is known to a fraction of one percent.
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
    Eigen::MatrixXd ofTrials(trials.count(), paths.logSeconds.cols());
    for (Eigen::Index i = 0; i < trials.count(); ++i)
        ofTrials.row(i) = paths.logSeconds.row(
            std::ranges::lower_bound(m_sizes, timed[static_cast<std::size_t>(i)].size) - m_sizes.begin());
    const LongRun longRun(trials, ofTrials, timed.back().clockSeconds);
    for (Eigen::Index path = 0; path < paths.logSeconds.cols(); ++path) {
        // The future speed of the device is equally unknown for all sizes.
        const double slowdown = longRun.logSlowdown[path] + longRun.relativeError * random.normal();
        auto& seconds = m_seconds.emplace_back();
        for (const double logSeconds : paths.logSeconds.col(path))
            seconds.push_back(std::exp(logSeconds + slowdown));
    }
}

double StepTimeDraws::seconds(std::size_t draw, std::int64_t size) const
{
    return interpolatedSeconds(m_sizes, m_seconds[draw], size);
}

} // namespace batchpeak::search

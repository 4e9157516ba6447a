// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_series.h"

#include "search/candidate_set.h"
#include "search/curve/posterior.h"
#include "search/memory/memory_model.h"
#include "search/random_source.h"
#include "search/strategies/posterior_summary.h"

using namespace batchpeak::search;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t baselineBytes = 1000 * mebibyte;
constexpr std::int64_t bytesPerSample = 50 * mebibyte;

} // namespace

TrialSeries::TrialSeries(double tolerance)
    : m_space{.maximum = 65535,
              .memoryLimitBytes = baselineBytes + largestFit * bytesPerSample,
              .baselineBytes = baselineBytes,
              .tolerance = tolerance},
      m_history(m_space.memoryLimitBytes)
{}

Measurement TrialSeries::trial(std::int64_t size, double seconds)
{
    m_clock += 5.0;
    return {.size = size,
            .outcome = batchpeak::trial::Outcome::Ok,
            .secondsPerStep = seconds,
            .stepSeconds = {seconds, 1.004 * seconds, 0.997 * seconds, 1.001 * seconds, 0.996 * seconds},
            .peakAllocatedBytes = baselineBytes + size * bytesPerSample,
            .peakReservedBytes = baselineBytes + size * bytesPerSample,
            .wallSeconds = 4.0,
            .clockSeconds = m_clock};
}

void TrialSeries::record(const std::vector<std::int64_t>& sizes, const Curve& seconds)
{
    for (const std::int64_t size : sizes)
        record(trial(size, seconds(size)));
}

PosteriorSummary TrialSeries::summary() const
{
    const CandidateSet candidates(m_space);
    RandomSource random(m_space.seed);
    const MemoryModel memory(m_space, candidates, m_history, random);
    const Posterior posterior(m_space, candidates, m_history, memory, random);
    return summarize(m_space, posterior, m_history, memory, std::nullopt);
}

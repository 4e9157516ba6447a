// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "judge.h"

#include "throughput.h"
#include "trial_history.h"

#include <algorithm>
#include <map>

namespace batchpeak::search {

Judgement judge(const SearchSpace& space, const CandidateSet&, const TrialHistory& history,
                const MemoryModel&, RandomSource&)
{
    std::map<std::int64_t, std::pair<double, int>> sums;
    double optimizerSeconds = 0.0;
    for (const Measurement& trial : history.timed()) {
        sums[trial.size].first += trial.secondsPerStep;
        ++sums[trial.size].second;
        optimizerSeconds = trial.optimizerSeconds;
    }
    Judgement judgement;
    for (const auto& [size, sum] : sums) {
        judgement.sizes.push_back(size);
        judgement.stepSeconds.push_back(sum.first / sum.second);
    }
    judgement.optimizerSeconds = optimizerSeconds;
    const Throughput throughput(space, optimizerSeconds);
    const auto secondsAt = [&](std::int64_t size) { return judgement.stepSecondsAt(size); };
    for (const std::int64_t size : history.goodSizes())
        judgement.measured.push_back(
            {.size = size, .samplesPerSecond = throughput.samplesPerSecond(size, secondsAt)});
    const auto best =
        std::ranges::max_element(judgement.measured, {}, &Judgement::MeasuredSize::samplesPerSecond);
    if (best != judgement.measured.end())
        judgement.best = best->size;
    return judgement;
}

} // namespace batchpeak::search

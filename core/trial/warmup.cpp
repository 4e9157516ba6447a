// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "warmup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::trial {

namespace {

constexpr std::size_t fewestSteps = 2;
constexpr std::size_t mostSteps = 5;
constexpr double steadyWithin = 0.03;
constexpr double shareOfTimeLimit = 0.2;

} // namespace

bool isWarm(std::span<const double> seconds, double timeLimitSeconds)
{
    const std::size_t steps = seconds.size();
    if (steps < fewestSteps)
        return false;
    if (steps >= mostSteps)
        return true;
    if (std::reduce(seconds.begin(), seconds.end()) >= shareOfTimeLimit * timeLimitSeconds)
        return true;

    const std::span<const double> settled = seconds.subspan(1);
    if (settled.size() < 2)
        return false;
    const double last = settled.back();
    const double before = settled[settled.size() - 2];
    return std::abs(last - before) < steadyWithin * std::min(last, before);
}

} // namespace batchpeak::trial

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench_interval.h"

#include <algorithm>
#include <cmath>

ShareInterval binomialInterval(double successes, int attempts)
{
    if (attempts <= 0)
        return {};
    // Number of standard deviations of a 95 % interval of a normal distribution.
    constexpr double deviations = 1.96;
    const double n = attempts;
    const double share = successes / n;
    const double square = deviations * deviations;
    const double middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    const double half =
        deviations / (1.0 + square / n) * std::sqrt(share * (1.0 - share) / n + square / (4.0 * n * n));
    return {.low = std::max(0.0, middle - half), .high = std::min(1.0, middle + half)};
}

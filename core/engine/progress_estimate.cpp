// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress_estimate.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

// A bar that stands at its end while trials still run would be a lie.
constexpr double mostBeforeTheEnd = 0.99;

} // namespace

Progress estimateProgress(const Course& course)
{
    Progress progress;
    const int expected = std::max(course.expectedTrials, course.finishedTrials + 1);
    progress.share = static_cast<double>(course.finishedTrials) / expected;
    if (course.finishedTrials > 0) {
        const double perTrial = course.trialSeconds / course.finishedTrials;
        progress.secondsLeft = (expected - course.finishedTrials) * perTrial / std::max(1, course.devices);
    }
    if (course.budgetSeconds) {
        const double left = std::max(0.0, *course.budgetSeconds - course.elapsedSeconds);
        progress.secondsLeft = std::min(progress.secondsLeft.value_or(left), left);
        if (*course.budgetSeconds > 0)
            progress.share = std::max(progress.share, course.elapsedSeconds / *course.budgetSeconds);
    }
    progress.share = std::clamp(progress.share, 0.0, mostBeforeTheEnd);
    return progress;
}

} // namespace batchpeak::engine

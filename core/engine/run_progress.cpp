// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_progress.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

// The first step of a size allocates and, on a GPU, picks its kernels.
constexpr double firstStepSeconds = 60.0;
// The time of three steps, and what a busy computer may add to the shortest steps.
constexpr double stepsOfSilence = 3.0;
constexpr double minSilence = 5.0;

// A progress bar must not show its end while trials are still running.
constexpr double maxBeforeTheEnd = 0.99;

constexpr double shareOfHigh = 0.25;

// An estimate may change by this much from trial to trial while nothing is wrong.
constexpr double maxAhead = 0.1;

} // namespace

void StallWatch::trialStarted(std::int64_t trial, double now, std::optional<double> predictedWallSeconds)
{
    const double expected = std::max(minSilence, predictedWallSeconds.value_or(firstStepSeconds));
    m_trials[trial] = {.lastSign = now, .expectedSilence = expected};
}

void StallWatch::stepTaken(std::int64_t trial, double now, double stepSeconds)
{
    if (const auto place = m_trials.find(trial); place != m_trials.end()) {
        place->second.lastSign = now;
        place->second.expectedSilence = minSilence + stepsOfSilence * stepSeconds;
    }
}

void StallWatch::trialEnded(std::int64_t trial)
{
    m_trials.erase(trial);
}

double StallWatch::stalledSeconds(double now) const
{
    double longest = 0.0;
    for (const auto& [trial, watched] : m_trials) {
        const double silence = now - watched.lastSign;
        if (silence > watched.expectedSilence)
            longest = std::max(longest, silence);
    }
    return longest;
}

Progress estimateProgress(const Course& course)
{
    Progress progress;
    // Before the search has given an estimate, the total number of trials is unknown.
    if (course.expectedTrials > 0) {
        const int expected = std::max(course.expectedTrials, course.finishedTrials + 1);
        progress.share = static_cast<double>(course.finishedTrials) / expected;
    }
    if (course.forecastSeconds) {
        const auto left = [&course](double seconds) {
            const double ofTrials =
                std::max(0.0, seconds - course.spentSeconds) / std::max(1, course.devices);
            return course.budgetSeconds
                       ? std::clamp(*course.budgetSeconds - course.elapsedSeconds, 0.0, ofTrials)
                       : ofTrials;
        };
        progress.secondsLeft = search::Estimate{.likely = left(course.forecastSeconds->likely),
                                                .low = left(course.forecastSeconds->low),
                                                .high = left(course.forecastSeconds->high)};
        // After the likely time has passed, more may follow, up to the less likely time, so that the end is
        // not yet near.
        const double ahead = std::max(progress.secondsLeft->likely, progress.secondsLeft->high * shareOfHigh);
        const double whole = course.elapsedSeconds + ahead;
        progress.share = whole > 0.0 ? course.elapsedSeconds / whole : 0.0;
    }
    if (course.budgetSeconds && *course.budgetSeconds > 0)
        progress.share = std::max(progress.share, course.elapsedSeconds / *course.budgetSeconds);
    progress.share = std::clamp(progress.share, 0.0, maxBeforeTheEnd);
    return progress;
}

double heldShare(double estimated, double shown)
{
    return std::max(estimated, std::min(shown, estimated + maxAhead));
}

} // namespace batchpeak::engine

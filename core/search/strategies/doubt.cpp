// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "doubt.h"

#include "posterior.h"
#include "trial_cost.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

using Cause = Doubt::Cause;

/// Fewer trials tell nothing of the device.
constexpr std::size_t fewestTrials = 4;
constexpr std::size_t lastTrials = 9;
constexpr double disturbedShare = 1.0 / 3.0;
/// A device that drifts by less is as calm as those that the confidence was calibrated on.
constexpr double calmDrift = 0.06;

double disturbedShareOfLast(const std::vector<Measurement>& trials)
{
    const std::size_t count = std::min(trials.size(), lastTrials);
    const auto disturbed = std::count_if(trials.end() - static_cast<std::ptrdiff_t>(count), trials.end(),
                                         [](const Measurement& trial) { return trial.disturbed; });
    return static_cast<double>(disturbed) / static_cast<double>(count);
}

/// Relative standard error of one more trial of the recommended size.
double trialError(const Posterior& posterior)
{
    const auto size = static_cast<double>(posterior.recommended());
    const double seconds =
        size / std::exp(posterior.meanLogSpeed(posterior.indexOf(posterior.recommended())));
    const double steps = TrialCost::length(seconds, false).stepsAt(seconds);
    return std::hypot(posterior.trials().noise.standardErrorAt(seconds, steps), posterior.meanRunNoise());
}

} // namespace

Doubt findDoubt(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history)
{
    if (history.timed().size() < fewestTrials)
        return {};
    if (const double share = disturbedShareOfLast(history.timed()); share >= disturbedShare)
        return {.cause = Cause::OtherTenants, .size = share};
    const Eigen::VectorXd& drift = posterior.curves().drift;
    if (2 * (drift.array() > calmDrift).count() > drift.size())
        return {.cause = Cause::Drift, .size = drift.mean()};
    if (const double error = trialError(posterior); error > space.tolerance)
        return {.cause = Cause::Noise, .size = error};
    return {};
}

} // namespace batchpeak::search

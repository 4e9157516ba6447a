// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "instability.h"

#include "curve/posterior.h"
#include "trial_cost.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace batchpeak::search {

namespace {

using Cause = Instability::Cause;

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

/// Trials of one size further apart than this differ by the device's drift too [s].
constexpr double closeSeconds = 15.0;
/// Drift must show so many times more in trials far apart than in those close to each other.
constexpr double driftRatio = 2.0;
/// Multiples of the tolerance that a trial's noise must exceed for its doubt to be grave.
constexpr double graveNoise = 4.0;

/// How much trials of the same size differ from each other, whatever the model makes of it: the standard
/// deviation of one, relative; 0 where no size was measured twice.
struct RepeatScatter
{
    double close = 0.0;
    double far = 0.0;
};

class MeanSquare
{
public:
    void add(double difference)
    {
        m_sum += difference * difference;
        ++m_count;
    }
    /// Of one of the two that differ.
    double deviation() const { return m_count > 0 ? std::sqrt(0.5 * m_sum / m_count) : 0.0; }

private:
    double m_sum = 0.0;
    int m_count = 0;
};

RepeatScatter repeatScatter(const std::vector<Measurement>& trials)
{
    std::map<std::int64_t, const Measurement*> before;
    MeanSquare close;
    MeanSquare far;
    for (const Measurement& trial : trials) {
        if (const Measurement* last = std::exchange(before[trial.size], &trial)) {
            const bool isClose = trial.clockSeconds - last->clockSeconds < closeSeconds;
            (isClose ? close : far).add(std::log(trial.secondsPerStep / last->secondsPerStep));
        }
    }
    return {.close = close.deviation(), .far = far.deviation()};
}

} // namespace

bool isGrave(const Instability& instability, double tolerance)
{
    return instability.cause == Cause::Drift || instability.cause == Cause::OtherTenants ||
           (instability.cause == Cause::Noise && instability.size > graveNoise * tolerance);
}

Instability findInstability(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history)
{
    if (history.timed().size() < fewestTrials)
        return {};
    if (const double share = disturbedShareOfLast(history.timed()); share >= disturbedShare)
        return {.cause = Cause::OtherTenants, .size = share};
    const RepeatScatter scatter = repeatScatter(history.timed());
    const bool isFarWorse = scatter.far > calmDrift && scatter.far > driftRatio * scatter.close;
    const Eigen::VectorXd& drift = posterior.curves().drift;
    if (isFarWorse || 2 * (drift.array() > calmDrift).count() > drift.size())
        return {.cause = Cause::Drift, .size = std::max(drift.mean(), scatter.far)};
    if (const double error = std::max(trialError(posterior), scatter.close); error > space.tolerance)
        return {.cause = Cause::Noise, .size = error};
    return {};
}

} // namespace batchpeak::search

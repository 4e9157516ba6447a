// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "long_run.h"

#include "observations.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchpeak::search {

namespace {

/// With fewer trials, this search has not seen what comes and goes.
constexpr Eigen::Index fewestTrials = 4;
/// Something held up a trial that took more than this many times the median of its day. The excess says
/// nothing about the speed of the device.
constexpr double maxSlowdown = 1.5;
/// A trial counts as at most this many times the median length.
constexpr double maxOfMedian = 2.0;
/// Factor from the scatter of the trials to the error of their sum: trials that are close in time resemble
/// each other.
constexpr double scatterOfTrials = 1.5;
/// Relative standard deviation of a device's speed over times longer than a search, caused by heat and other
/// tenants, and how long such a spell lasts [s]: a search of seconds cannot see it. Chosen on simulated
/// devices with two speeds ("batchpeak-bench-search --world two-speed"), where 91 to 100 of 100 intervals of
/// 95 % then contain the long-run speed; with .02 it was 73 to 98.
constexpr double unseenDeviation = 0.03;
constexpr double unseenSeconds = 300.0;

/// Returns the relative standard deviation of the mean speed during this time [s] from the mean over all
/// time, caused by spells whose correlation decays exponentially.
double unseenError(double watchedSeconds)
{
    const double spells = watchedSeconds / unseenSeconds;
    const double share = spells > 0.0 ? 2.0 * (1.0 + std::expm1(-spells) / spells) / spells : 1.0;
    return unseenDeviation * std::sqrt(share);
}

/// Returns the median; for an even number of values, the lower of the two in the middle.
double medianOf(Eigen::VectorXd values)
{
    const auto middle = values.begin() + (values.size() - 1) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

LongRun::LongRun(const Observations& trials, const Eigen::MatrixXd& logSeconds, double watchedSeconds)
{
    const std::vector<std::vector<Eigen::Index>> days = trials.days();
    const Eigen::VectorXd ofContention = trials.contentionOffMean(days);
    const Eigen::ArrayXd steps = trials.timedSteps.array();
    // Time that each curve expects for all timed steps of each trial.
    const Eigen::ArrayXXd expected = logSeconds.array().exp().colwise() * steps;
    const Eigen::VectorXd offCurve =
        (trials.timedSeconds.array() / steps).log().matrix() - logSeconds.rowwise().mean() - ofContention;
    // The speed of a device on another day says nothing about today. But what stalls and other programs took
    // in addition may happen again, and one or two trials of today have not seen it. All values are at the
    // mean contention of their day.
    Eigen::ArrayXd taken(trials.count());
    for (const std::vector<Eigen::Index>& rows : days) {
        const double middle = rows.empty() ? 0.0 : medianOf(offCurve(rows));
        for (const Eigen::Index i : rows) {
            const double off = offCurve[i] - middle;
            const double beyond = off - std::clamp(off, -std::log(maxSlowdown), std::log(maxSlowdown));
            taken[i] = trials.timedSeconds[i] * std::exp(-ofContention[i] - middle - beyond);
        }
    }
    const double today = medianOf(offCurve(days.back()));
    const auto ofNow = static_cast<Eigen::Index>(days.back().size());
    const bool needsOthers = ofNow < trials.count() && ofNow < fewestTrials;
    const Eigen::Index count = needsOthers ? trials.count() : ofNow;
    // A long trial has seen more of what comes and goes, but the curve may be wrong at its size.
    const auto sharesOfLast = [&](Eigen::Index last) -> Eigen::ArrayXd {
        const Eigen::ArrayXd seconds = expected.bottomRows(last).rowwise().mean();
        const Eigen::ArrayXd counted = seconds.min(maxOfMedian * medianOf(seconds));
        return counted / counted.sum();
    };
    const Eigen::ArrayXXd ofEach = expected.inverse().colwise() * taken;
    const auto slowdownOfLast = [&](Eigen::Index last) -> Eigen::ArrayXd {
        return (ofEach.bottomRows(last).colwise() * sharesOfLast(last)).colwise().sum().transpose();
    };
    const Eigen::ArrayXd slowdown = slowdownOfLast(count);
    const Eigen::ArrayXd offMean =
        (ofEach.bottomRows(count).rowwise() / slowdown.transpose()).rowwise().mean() - 1.0;
    const double scatter = (sharesOfLast(count) * offMean).matrix().norm();
    // Future contention is known no better than the mean of the past contention.
    const double company = ofContention.tail(count).norm() / static_cast<double>(count);
    // A device that heats up continues as it was most recently.
    const Eigen::ArrayXd ofLate = needsOthers ? slowdown : slowdownOfLast((count + 1) / 2);
    const double change = std::exp((ofLate.log() - slowdown.log()).mean()) - 1.0;
    logSlowdown = today + ofLate.log();
    relativeError = std::hypot(std::hypot(scatterOfTrials * scatter, scatterOfTrials * company),
                               std::hypot(change, unseenError(watchedSeconds)));
}

} // namespace batchpeak::search

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "long_run.h"

#include "observations.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchpeak::search {

namespace {

/// Fewer trials of now have not seen what comes and goes.
constexpr Eigen::Index fewestTrials = 4;
/// A trial that took so many times as long as the middle one of its day was held up by something: it says
/// nothing more of how fast the device is.
constexpr double maxSlowdown = 1.5;
/// A trial counts as one of so many times the median length at most.
constexpr double maxOfMedian = 2.0;
/// The error of their sum is so many times what trials leave by how they scatter: those close to each other
/// resemble each other.
constexpr double scatterOfTrials = 1.5;
/// Relative standard deviation of a device's speed over times longer than a search, as heat and other tenants
/// make it, and how long such a spell lasts [s]: what a search of seconds cannot see. Chosen on simulated
/// devices with two speeds ("batchpeak-bench-search --world two-speed"), where 91 to 100 of 100 intervals of
/// 95 % then hold the long-run speed; with .02 it was 73 to 98.
constexpr double unseenDeviation = 0.03;
constexpr double unseenSeconds = 300.0;

/// Relative standard deviation of the speed's mean over so long from its mean for ever [s], by spells whose
/// correlation decays exponentially.
double unseenError(double watchedSeconds)
{
    const double spells = watchedSeconds / unseenSeconds;
    const double share = spells > 0.0 ? 2.0 * (1.0 + std::expm1(-spells) / spells) / spells : 1.0;
    return unseenDeviation * std::sqrt(share);
}

/// The lower one of two.
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
    // Time that each curve expects of all timed steps of each trial.
    const Eigen::ArrayXXd expected = logSeconds.array().exp().colwise() * steps;
    const Eigen::VectorXd offCurve =
        (trials.timedSeconds.array() / steps).log().matrix() - logSeconds.rowwise().mean() - ofContention;
    // How fast a device was on another day says nothing of today, but what its stalls and other programs took
    // beside that may come again, and a trial or two of today have not seen it. All with the mean contention
    // of their day.
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
    // What others will take is known no better than the mean of what they took.
    const double company = ofContention.tail(count).norm() / static_cast<double>(count);
    // A device that heats up goes on as it was of late.
    const Eigen::ArrayXd ofLate = needsOthers ? slowdown : slowdownOfLast((count + 1) / 2);
    const double change = std::exp((ofLate.log() - slowdown.log()).mean()) - 1.0;
    logSlowdown = today + ofLate.log();
    relativeError = std::hypot(std::hypot(scatterOfTrials * scatter, scatterOfTrials * company),
                               std::hypot(change, unseenError(watchedSeconds)));
}

} // namespace batchpeak::search

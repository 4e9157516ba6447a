// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

namespace batchpeak::search {

struct Observations;

/// How much longer constant work takes in the long run than the curve says. The curve leaves out what only
/// some steps or trials suffered: stalls, and other programs that came and went. If these are always there,
/// they slow down the work too, by as much as they slowed down the trials in the mean.
///
/// The slowdown is common to all sizes, so that it changes no comparison of them.
struct LongRun
{
    /// \param logSeconds  ln of a step's time [s] according to each curve (columns) at the size of each trial
    ///        (rows)
    /// \param watchedSeconds  how long the device has been watched [s]
    LongRun(const Observations& trials, const Eigen::MatrixXd& logSeconds, double watchedSeconds);

    /// ln of the slowdown for each curve; what a curve says about contention itself cancels.
    Eigen::ArrayXd logSlowdown;
    double relativeError = 0.0;
};

} // namespace batchpeak::search

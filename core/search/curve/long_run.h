// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

namespace batchpeak::search {

struct Observations;

/// What constant work takes in the long run over what the curve says, which leaves out what only some steps
/// or trials suffered: stalls, and other programs that came and went. Where these are always there, it is
/// their work too: as much of it as trials had in the mean.
///
/// It is common to all sizes, so that it changes no comparison of them.
struct LongRun
{
    /// \param logSeconds  ln of a step's time [s] by each curve (columns) at the size of each trial (rows)
    /// \param watchedSeconds  for how long the device has been watched [s]
    LongRun(const Observations& trials, const Eigen::MatrixXd& logSeconds, double watchedSeconds);

    /// ln of it, by each curve: what a curve says of contention itself cancels.
    Eigen::ArrayXd logSlowdown;
    double relativeError = 0.0;
};

} // namespace batchpeak::search

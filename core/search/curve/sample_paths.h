// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve_model.h"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

/// Joint draws of the whole step-time curve, given the trials.
struct SamplePaths
{
    /// Logarithm of the step time [ln s]: a row for each size of the grid, a column for each path. Neither
    /// noise nor the device's changing speed are in it: it is the curve that a long measurement would find.
    Eigen::MatrixXd logSeconds;
    /// The scales under each path's model.
    std::vector<Hyperparameters> scales;
    /// Each path's trend.
    std::vector<Trend> trends;
    Eigen::Matrix4Xd coefficients;
};

/// Draws paths from the weighted models: the model by systematic resampling, the coefficients of the
/// trend from their posterior, the deviations from their prior and then moved by what the trials say
/// (Matheron's rule: Journel and Huijbregts, Mining Geostatistics, 1978; Wilson et al., arXiv 2002.09309).
/// The residuals are exact, not linearized: a cliff of 40 % would otherwise give confident nonsense.
///
/// \param sizes  ascending; holds the size of every trial
SamplePaths drawSamplePaths(const Observations& trials, const std::vector<CurveModel>& models,
                            std::span<const std::int64_t> sizes, int pathCount, RandomSource& random);

/// Holds the deviations of paths beyond the largest size that ran, the more so the longer samples/s were
/// level or falling before it: the deviation that explains a fall would else end there, and distant sizes
/// would seem fast without any trial that speaks for them.
void holdBeyondTrials(SamplePaths& paths, const Observations& trials, std::span<const std::int64_t> sizes);

} // namespace batchpeak::search

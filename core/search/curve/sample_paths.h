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
    /// Logarithm of the step time [ln s], with one row per size of the grid and one column per path. It
    /// contains neither noise nor the device's changing speed: it is the curve that a long measurement would
    /// find.
    Eigen::MatrixXd logSeconds;
    /// The hyper-parameters of each path's model.
    std::vector<Hyperparameters> scales;
    /// Each path's trend.
    std::vector<Trend> trends;
    Eigen::Matrix4Xd coefficients;
};

/// Draws paths from the weighted models. The model is drawn by systematic resampling, and the coefficients of
/// the trend from their posterior. The deviations are drawn from their prior and then moved by what the
/// trials say (Matheron's rule: Journel and Huijbregts, Mining Geostatistics, 1978; Wilson et al., arXiv
/// 2002.09309). The residuals are exact, not linearized: otherwise a cliff of 40 % would give confident
/// nonsense.
///
/// \param sizes  ascending; contains the size of every trial
SamplePaths drawSamplePaths(const Observations& trials, const std::vector<CurveModel>& models,
                            std::span<const std::int64_t> sizes, int pathCount, RandomSource& random);

/// Holds the deviations of paths constant beyond the largest size that ran, the more so the longer samples/s
/// were level or falling before it. Otherwise the deviation that explains a fall would end there, and distant
/// sizes would seem fast without any trial that supports it.
void holdBeyondTrials(SamplePaths& paths, const Observations& trials, std::span<const std::int64_t> sizes);

} // namespace batchpeak::search

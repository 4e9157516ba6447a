// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <vector>

namespace batchpeak::search {

/// How much the timed steps of one trial scatter relative to their location.
struct NoiseEstimate
{
    /// Standard deviation of one step, as a share of the step's time.
    double scale = 0.0;
    /// How far the scale can be trusted; 0 if the trial cannot tell its own noise.
    double degreesOfFreedom = 0.0;
};

/// Estimates the noise from the relative standard error of the steps, within each visit for a comparison. If
/// a program does not send its steps, it uses the error that the program states.
NoiseEstimate estimateNoise(const Measurement& trial);

/// The noise of timed steps, pooled over trials of similar step times: a trial of five steps cannot tell its
/// own noise.
///
/// It does not include noise between runs, which more steps do not average out.
class NoiseModel
{
public:
    explicit NoiseModel(const std::vector<Measurement>& trials);

    /// Returns the standard deviation of one step of this time, as a share of the time.
    double pooledDeviation(double seconds) const;
    /// Returns the relative standard error of the location of trial \p index.
    double standardError(std::size_t index) const;
    /// Returns the same for a future trial.
    double standardErrorAt(double seconds, double steps) const;

private:
    struct Trial
    {
        double seconds = 1.0;
        double steps = 1.0;
        NoiseEstimate raw;
    };
    std::vector<Trial> m_trials;
    /// A larger scale is taken for a stall; infinite before three trials.
    double m_largestScale;
};

} // namespace batchpeak::search

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <vector>

namespace batchpeak::search {

/// How much the timed steps of one trial scatter, relative to their location.
struct NoiseEstimate
{
    /// Standard deviation of one step, as a share of the step's time.
    double scale = 0.0;
    /// How far the scale can be trusted; 0 where the trial cannot tell its own noise.
    double degreesOfFreedom = 0.0;
};

/// From the relative standard error that the steps tell, those of a comparison within each visit, or, where a
/// program does not send them, from the one that it states.
NoiseEstimate estimateNoise(const Measurement& trial);

/// The noise of timed steps, pooled over trials of like step times: a trial of five steps cannot tell its
/// own.
///
/// Noise between runs, which more steps do not average out, is not in it.
class NoiseModel
{
public:
    explicit NoiseModel(const std::vector<Measurement>& trials);

    /// Standard deviation of one step of this time, as a share of it.
    double pooledDeviation(double seconds) const;
    /// Relative standard error of the location of trial \p index.
    double standardError(std::size_t index) const;
    /// The same, of a trial that is still to come.
    double standardErrorAt(double seconds, double steps) const;

private:
    struct Trial
    {
        double seconds = 1.0;
        double steps = 1.0;
        NoiseEstimate raw;
    };
    std::vector<Trial> m_trials;
    /// A scale above this is taken for a stall; no bound before three trials.
    double m_largestScale;
};

} // namespace batchpeak::search

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <span>

namespace batchpeak::search {

/// How many steps a trial takes and how long it lasts, learned from the trials so far.
class TrialCost
{
public:
    /// Timed steps of a trial, and the time after which no further one is begun [s].
    struct Length
    {
        int minSteps = 5;
        int maxSteps = 24;
        double minSeconds = 0.4;

        /// Returns the number of timed steps if one step takes \p stepSeconds [s].
        double stepsAt(double stepSeconds) const;
    };

    /// \param predictedStepSeconds  0 if nothing is predicted yet
    /// \param isRepeat  whether the size was measured before and the trial is to tell leaders apart: three
    ///        times as long
    static Length length(double predictedStepSeconds, bool isRepeat);

    void record(const Measurement& measurement);

    /// Returns the wall time of a whole trial [s]: set-up, warm-up steps of which the first is slow, and
    /// timed steps.
    double predictedWallSeconds(double predictedStepSeconds, const Length& length) const;

    /// Returns the same for a trial that compares sizes, given the time of a step of each [s].
    double comparisonSeconds(std::span<const double> predictedStepSeconds, int visits,
                             int stepsPerVisit) const;

private:
    /// Overhead of a trial besides its steps [s]; the first trial replaces this value, later ones are
    /// averaged in.
    double m_setupSeconds = 1.0;
    bool m_hasSetup = false;
};

} // namespace batchpeak::search

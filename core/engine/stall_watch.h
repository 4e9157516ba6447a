// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace batchpeak::engine {

/// Tells a long step from a stall: how long the trials under way have been silent, and whether that is
/// longer than their own pace explains. It only says so; a worker is given up by its time-outs.
///
/// It has no clock: every call is told the present, in seconds since the start of the exploration.
class StallWatch
{
public:
    /// \param predictedWallSeconds  of the whole trial, where the search can tell
    void trialStarted(std::int64_t trial, double now, std::optional<double> predictedWallSeconds);
    void stepTaken(std::int64_t trial, double now, double stepSeconds);
    void trialEnded(std::int64_t trial);

    /// Longest silence of a trial that is longer than expected of it [s]; 0 when all is well.
    double stalledSeconds(double now) const;

private:
    struct Watched
    {
        double lastSign = 0.0;
        double expectedSilence = 0.0;
    };
    std::map<std::int64_t, Watched> m_trials;
};

} // namespace batchpeak::engine

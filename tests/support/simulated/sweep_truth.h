// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "recorded_sweep.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// One visit of a size on a device: a number of consecutive steps.
struct SizeVisit
{
    /// Visits of one round are near each other in time.
    int round = 1;
    std::int64_t size = 1;
    /// When its timed steps began, relative to an arbitrary moment [s].
    double clockSeconds = 0.0;
    /// The typical step and the mean of all of them [s], and the relative standard error of the first.
    double typicalSeconds = 0.0;
    double meanSeconds = 0.0;
    double relativeError = 0.0;
};

/// \param stepSeconds  at least one, each positive; with fewer than three, the error is 0
SizeVisit visitOf(int round, std::int64_t size, double clockSeconds, std::span<const double> stepSeconds);

/// Returns the visits that ran, disturbed ones included: their disturbances belong to the device.
std::vector<SizeVisit> visitsOf(const RecordedSweep& sweep);

/// The long-run speeds of sizes that are possible given the visits of a sweep: draws, each a time for every
/// size. A search that is judged by them is judged by its probability of being right, and never by the luck
/// of single visits: among sizes that are all equal, the one that looks best looks better than it is.
///
/// The logarithm of a visit's typical step is the sum of that of its size, of the device's speed at that
/// moment (an Ornstein-Uhlenbeck process, so that visits near each other share it), and of its own noise
/// (Student's t with 4 degrees of freedom, as wide as the visit's error and the additional difference between
/// visits). Sizes are not independent: the time per sample is that of an affine step, a random walk over
/// ln(size) and roughness from size to size. The magnitude of each of these follows from the visits too. A
/// draw of the long run adds the ratio of the mean of steps to the typical step.
///
/// Gibbs sampling (Geman and Geman, IEEE PAMI 6, 1984), with t as a mixture of normals (Geweke, Journal of
/// Applied Econometrics 8, 1993).
///
/// This class says nothing about memory: it does not include sizes without a visit that ran.
class SweepTruth
{
public:
    static constexpr int defaultDraws = 400;

    /// Draws the same for the same visits and seed.
    ///
    /// \param visits  at least one; a round needs at least two sizes, or there is nothing to distinguish
    explicit SweepTruth(std::vector<SizeVisit> visits, std::uint64_t seed = 1, int draws = defaultDraws);

    /// Visited sizes, ascending.
    const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    int draws() const { return static_cast<int>(m_seconds.size()); }

    /// Time of one micro-batch in the long run [s]: between visited sizes the time per sample is linear in
    /// ln(size); beyond them it is that of the last one.
    double seconds(int draw, std::int64_t size) const;
    double samplesPerSecond(int draw, std::int64_t size) const
    {
        return static_cast<double>(size) / seconds(draw, size);
    }

    /// Residuals of the visits without the sizes' part, ordered by time: logarithms, means over the draws.
    struct Residual
    {
        double clockSeconds = 0.0;
        std::int64_t size = 1;
        /// Part of the device at that moment, and part of the visit alone.
        double deviceSpeed = 0.0;
        double visit = 0.0;
    };
    const std::vector<Residual>& residuals() const { return m_residuals; }

private:
    std::vector<std::int64_t> m_sizes;
    /// [draw][size]
    std::vector<std::vector<double>> m_seconds;
    std::vector<Residual> m_residuals;
};

/// Speed of a size on one of the possible devices, as an objective defines it [samples/s].
using SpeedOfDraw = std::function<double(int draw, std::int64_t size)>;

/// Verdict about some sizes over all draws of the truth.
class TruthVerdict
{
public:
    /// \param answers    sizes that could have been recommended
    /// \param tolerance  share of the best size's speed
    TruthVerdict(int draws, std::vector<std::int64_t> answers, double tolerance, SpeedOfDraw speed);

    /// Share of the draws in which the size is within the tolerance of the best: the probability that an
    /// honest forecaster who knows the whole sweep would state.
    double shareWithin(std::int64_t size) const;
    /// Share of the best speed that is lost, averaged over the draws.
    double regret(std::int64_t size) const;
    /// Share of the draws in which the size's speed lies between the bounds [samples/s].
    double shareBetween(std::int64_t size, double low, double high) const;

    /// Answer of a perfect forecaster: the size with the greatest shareWithin(). perfectShare() is the
    /// probability that it states.
    std::int64_t perfectSize() const { return m_perfectSize; }
    double perfectShare() const { return m_perfectShare; }

private:
    double m_tolerance;
    SpeedOfDraw m_speed;
    /// The best speed in each draw.
    std::vector<double> m_best;
    std::int64_t m_perfectSize = 1;
    double m_perfectShare = 0.0;
};

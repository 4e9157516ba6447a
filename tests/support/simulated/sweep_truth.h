// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "recorded_sweep.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// Visit of a size on a device: a number of consecutive steps.
struct SizeVisit
{
    /// Round of the visit; visits of one round are close in time.
    int round = 1;
    std::int64_t size = 1;
    /// Start of the timed steps, relative to an arbitrary moment [s].
    double clockSeconds = 0.0;
    /// Typical step and mean of all steps [s], and relative standard error of the typical step.
    double typicalSeconds = 0.0;
    double meanSeconds = 0.0;
    double relativeError = 0.0;
};

/// \param stepSeconds  at least one, each positive; with fewer than three, the error is 0
SizeVisit visitOf(int round, std::int64_t size, double clockSeconds, std::span<const double> stepSeconds);

/// Returns the visits that ran, including disturbed ones: disturbances belong to the device.
std::vector<SizeVisit> visitsOf(const RecordedSweep& sweep);

/// Long-run speeds of sizes that are possible given the visits of a sweep. Each draw holds a time for every
/// size. Judged by these draws, a search is judged by its probability of being right, and never by the luck
/// of single visits: among sizes that are all equal, the one that looks best looks better than it is.
///
/// The logarithm of the typical step of a visit is the sum of the level of its size, of the speed of the
/// device at that moment (an Ornstein-Uhlenbeck process, so that visits close in time share it), and of its
/// own noise (Student's t with 4 degrees of freedom, as wide as the error of the visit and the additional
/// difference between visits). Sizes are not independent: a level is the sum of the logarithm of an affine
/// step, a random walk over ln(size), and the roughness of single sizes. The visits also determine the scale
/// of each of these parts. A draw of the long run adds the ratio of the mean step to the typical step.
///
/// The draws come from Gibbs sampling (Geman and Geman, IEEE PAMI 6, 1984), with t as a mixture of normals
/// (Geweke, Journal of Applied Econometrics 8, 1993).
///
/// This class does not model memory: it contains only sizes with a visit that ran.
class SweepTruth
{
public:
    static constexpr int defaultDraws = 400;

    /// The same visits and seed yield the same draws.
    ///
    /// \param visits  at least one; a round needs at least two sizes, so that there is something to compare
    explicit SweepTruth(std::vector<SizeVisit> visits, std::uint64_t seed = 1, int draws = defaultDraws);

    /// Visited sizes in ascending order.
    const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    int draws() const { return static_cast<int>(m_seconds.size()); }

    /// Long-run time of one micro-batch [s]. Between visited sizes, the time per sample is linear in
    /// ln(size); beyond them, it is that of the nearest one.
    double seconds(int draw, std::int64_t size) const;
    double samplesPerSecond(int draw, std::int64_t size) const
    {
        return static_cast<double>(size) / seconds(draw, size);
    }

    /// Residual of a visit after the level of its size is subtracted: logarithms, as means over the draws.
    /// residuals() are ordered by time.
    struct Residual
    {
        double clockSeconds = 0.0;
        std::int64_t size = 1;
        /// Part of the device at that moment, and part of this visit only.
        double deviceSpeed = 0.0;
        double visit = 0.0;
    };
    const std::vector<Residual>& residuals() const { return m_residuals; }

private:
    std::vector<std::int64_t> m_sizes;
    /// Times [s], by draw and size.
    std::vector<std::vector<double>> m_seconds;
    std::vector<Residual> m_residuals;
};

/// Speed of a size on one of the possible devices, as an objective defines it [samples/s].
using SpeedOfDraw = std::function<double(int draw, std::int64_t size)>;

/// Verdict on sizes over all draws of the truth.
class TruthVerdict
{
public:
    /// \param answers    sizes that could have been recommended
    /// \param tolerance  tolerated loss, as a share of the speed of the best size
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
    /// Best speed in each draw.
    std::vector<double> m_best;
    std::int64_t m_perfectSize = 1;
    double m_perfectShare = 0.0;
};

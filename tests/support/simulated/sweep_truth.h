// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "recorded_sweep.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// One visit of a size on a device: so many steps, one after another.
struct SizeVisit
{
    /// Visits of one round are near each other in time.
    int round = 1;
    std::int64_t size = 1;
    /// When its timed steps began [s], from any moment on.
    double clockSeconds = 0.0;
    /// The typical step and the mean of all of them [s], and the relative standard error of the first.
    double typicalSeconds = 0.0;
    double meanSeconds = 0.0;
    double relativeError = 0.0;
};

/// \param stepSeconds  at least one, each a positive number; of less than three the error is told as 0
SizeVisit visitOf(int round, std::int64_t size, double clockSeconds, std::span<const double> stepSeconds);

/// Those that ran, disturbed ones included: what disturbs them belongs to the device.
std::vector<SizeVisit> visitsOf(const RecordedSweep& sweep);

/// What the visits of a sweep leave possible of its sizes' speeds in the long run: draws, each a time for
/// every size. Whoever judges a search by them judges by how likely it is right, and never by the luck of
/// single visits: of sizes that are all alike, the one that looks best looks better than it is.
///
/// The logarithm of a visit's typical step is that of its size, and the speed of the device at that moment
/// (an Ornstein- Uhlenbeck process, so that visits near each other share it), and noise of its own (Student's
/// t of 4 degrees, as wide as the visit's error and what visits differ by beyond that). Sizes are not each on
/// their own: the time of a sample is that of an affine step, a random walk over ln(size) and roughness from
/// size to size. How large each of these is follows from the visits too. A draw of the long run adds what the
/// mean of steps has over the typical one.
///
/// Gibbs sampling (Geman and Geman, IEEE PAMI 6, 1984), with t by a mixture of normals (Geweke, Journal of
/// Applied Econometrics 8, 1993).
///
/// It decides nothing about memory: sizes without a visit that ran are not in it.
class SweepTruth
{
public:
    static constexpr int defaultDraws = 400;

    /// The same for the same visits and seed.
    ///
    /// \param visits  at least one; of one round at least two sizes, for there to be anything to tell apart
    explicit SweepTruth(std::vector<SizeVisit> visits, std::uint64_t seed = 1, int draws = defaultDraws);

    /// Visited ones, ascending.
    const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    int draws() const { return static_cast<int>(m_seconds.size()); }

    /// Of one micro-batch in the long run [s]: between sizes that were visited the time of a sample is linear
    /// in ln(size), beyond them that of the last one.
    double seconds(int draw, std::int64_t size) const;
    double samplesPerSecond(int draw, std::int64_t size) const
    {
        return static_cast<double>(size) / seconds(draw, size);
    }

    /// What the visits were less the sizes' and nothing else, in their order of time: logarithms, means over
    /// the draws.
    struct Residual
    {
        double clockSeconds = 0.0;
        std::int64_t size = 1;
        /// Of the device at that moment, and of the visit alone.
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

/// Speed of a size on one of the devices that are possible, as an objective has it: samples/s.
using SpeedOfDraw = std::function<double(int draw, std::int64_t size)>;

/// What is thought of some sizes over all draws of what is true.
class TruthVerdict
{
public:
    /// \param answers    sizes that could have been recommended
    /// \param tolerance  share of the best size's speed
    TruthVerdict(int draws, std::vector<std::int64_t> answers, double tolerance, SpeedOfDraw speed);

    /// Share of the draws in which the size is within the tolerance of the best: what an honest forecaster
    /// who knows the whole sweep would state of it.
    double shareWithin(std::int64_t size) const;
    /// Share of the best speed that is lost, in the mean over the draws.
    double regret(std::int64_t size) const;
    /// Share of the draws in which the size's speed lies there [samples/s].
    double shareBetween(std::int64_t size, double low, double high) const;

    /// What a perfect forecaster answers: the size with the greatest shareWithin(), which is also what it
    /// states.
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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <cstddef>
#include <memory>
#include <vector>

struct RecordedSweep;
class SweepTruth;

/// Tolerance for rounding errors of sums of times [s].
inline constexpr double clockTick = 1e-9;

/// Noise of a real device: the differences between the step times of a recorded sweep and the typical times
/// of their sizes, ordered by time. Played on a simulated curve, the tape yields a device whose truth is
/// known and whose noise is real.
///
/// The logarithm of a step has three parts: the speed of the device at that moment, including bursts of other
/// programs, which lasts as long as in the recording; the deviation of the visit, which applies to a whole
/// trial of any length; and the deviation of the step from the mean of its visit.
class ResidualTape
{
public:
    struct Visit
    {
        /// Time since the start of the first visit [s].
        double clockSeconds = 0.0;
        double deviceSpeed = 0.0;
        double visit = 0.0;
        /// Deviations of the steps in their order; never empty.
        std::vector<double> steps;
    };

    ResidualTape(const RecordedSweep& sweep, const SweepTruth& truth);

    const std::vector<Visit>& visits() const { return m_visits; }
    /// Length of the tape [s].
    double length() const { return m_length; }
    /// Long-run ratio of the time of constant work to its time on the calm device.
    double meanSlowdown() const;
    /// Index of the visit at \p clock, a time on the tape with 0 <= \p clock < length().
    std::size_t placeAt(double clock) const;

private:
    std::vector<Visit> m_visits;
    double m_length = 0.0;
};

/// Plays a tape endlessly in blocks of exponentially distributed length from random places, so that slow
/// changes stay slow. This is the stationary bootstrap: Politis and Romano, Journal of the American
/// Statistical Association 89 (1994).
class TapePlayer
{
public:
    TapePlayer(std::shared_ptr<const ResidualTape> tape, std::uint64_t seed);

    /// Advances the clock.
    /// \param clock  current time [s], which never decreases
    void moveTo(double clock);
    /// Replaces the random source: the current block continues, and different blocks follow it.
    void reseed(std::uint64_t seed) { m_random = batchpeak::search::RandomSource(seed); }
    /// Time until the speed of the device may change [s].
    double sameFor() const;
    /// Returns ln of the ratio of the device's current time to its mean time.
    double deviceSpeed() const { return now().deviceSpeed; }
    /// Index of the visit that is being played.
    std::size_t place() const { return m_place; }
    const ResidualTape::Visit& visitAt(std::size_t place) const
    {
        return m_tape->visits()[place % m_tape->visits().size()];
    }

private:
    const ResidualTape::Visit& now() const { return visitAt(m_place); }
    void begin(double clock);

    std::shared_ptr<const ResidualTape> m_tape;
    batchpeak::search::RandomSource m_random;
    double m_clock = 0.0;
    double m_blockEnd = 0.0;
    /// Time on the tape minus time of the device in the current block.
    double m_ahead = 0.0;
    std::size_t m_place = 0;
};

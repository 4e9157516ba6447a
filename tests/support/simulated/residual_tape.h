// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <cstddef>
#include <memory>
#include <vector>

struct RecordedSweep;
class SweepTruth;

/// The noise of a real device: the difference between the times of a recorded sweep's steps and the times of
/// their sizes, ordered by time. Played on a simulated curve, it makes a device whose truth is known and
/// whose noise is real.
///
/// The logarithm of a step has three parts: the speed of the device at that moment, including bursts of other
/// programs, which lasts as long as in the recording; the visit's own deviation, which applies to a whole
/// trial, however long; and the step's deviation from its visit's mean.
class ResidualTape
{
public:
    struct Visit
    {
        /// Time since the first visit began [s].
        double clockSeconds = 0.0;
        double deviceSpeed = 0.0;
        double visit = 0.0;
        /// Deviations of the steps in order; never empty.
        std::vector<double> steps;
    };

    ResidualTape(const RecordedSweep& sweep, const SweepTruth& truth);

    const std::vector<Visit>& visits() const { return m_visits; }
    /// Length of the tape [s].
    double length() const { return m_length; }
    /// Ratio of the time of constant work in the long run to its time on the calm device.
    double meanSlowdown() const;
    /// Index of the visit at a moment of the tape, 0 <= \p clock < length().
    std::size_t placeAt(double clock) const;

private:
    std::vector<Visit> m_visits;
    double m_length = 0.0;
};

/// Plays a tape endlessly: in blocks of exponential length from random places, so that slow changes stay
/// slow. This is the stationary bootstrap: Politis and Romano, Journal of the American Statistical
/// Association 89 (1994).
class TapePlayer
{
public:
    TapePlayer(std::shared_ptr<const ResidualTape> tape, std::uint64_t seed);

    /// Lets time pass.
    /// \param clock  current time [s], never before an earlier one
    void moveTo(double clock);
    /// Replaces the random source: the current block continues, and different ones follow it.
    void reseed(std::uint64_t seed) { m_random = batchpeak::search::RandomSource(seed); }
    /// Time until the speed of the device may change [s].
    double sameFor() const;
    /// Returns ln of the ratio of the device's current time to its mean time.
    double deviceSpeed() const { return now().deviceSpeed; }
    /// Index on the tape of the visit that is being played.
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
    /// Difference between the device's clock and the tape's in this block.
    double m_ahead = 0.0;
    std::size_t m_place = 0;
};

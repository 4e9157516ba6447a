// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <cstddef>
#include <memory>
#include <vector>

struct RecordedSweep;
class SweepTruth;

/// The noise of a real device: what the steps of a recorded sweep took beyond what their sizes take, in the
/// order of time. Played on a simulated curve it makes a device whose truth is known and whose noise nobody
/// invented.
///
/// A step's logarithm has three parts: the speed of the device at that moment, bursts of other programs
/// included, which lasts as long as it did; what the visit has of its own, which a whole trial has, however
/// long; and the step's deviation from its visit's mean.
class ResidualTape
{
public:
    struct Visit
    {
        /// Since the first one began [s].
        double clockSeconds = 0.0;
        double deviceSpeed = 0.0;
        double visit = 0.0;
        /// In their order; never empty.
        std::vector<double> steps;
    };

    ResidualTape(const RecordedSweep& sweep, const SweepTruth& truth);

    const std::vector<Visit>& visits() const { return m_visits; }
    /// [s]
    double length() const { return m_length; }
    /// Time that constant work takes in the long run over what it takes on the calm device.
    double meanSlowdown() const;
    /// Place of the visit at that moment of the tape, 0 <= \p clock < length().
    std::size_t placeAt(double clock) const;

private:
    std::vector<Visit> m_visits;
    double m_length = 0.0;
};

/// Plays a tape without end: blocks of it, of exponential length, from places that are drawn at random, so
/// that what changes slowly goes on changing slowly. Stationary bootstrap: Politis and Romano, Journal of the
/// American Statistical Association 89 (1994).
class TapePlayer
{
public:
    TapePlayer(std::shared_ptr<const ResidualTape> tape, std::uint64_t seed);

    /// Lets time pass. \param clock  now [s], never before an earlier one
    void moveTo(double clock);
    /// The block that is played goes on; those after it are other ones.
    void reseed(std::uint64_t seed) { m_random = batchpeak::search::RandomSource(seed); }
    /// Until the speed of the device may change [s].
    double sameFor() const;
    /// ln of what the device takes now over what it takes in the mean.
    double deviceSpeed() const { return now().deviceSpeed; }
    /// The place on the tape of the visit that is being played.
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
    /// Of the device's clock and the tape's in this block.
    double m_ahead = 0.0;
    std::size_t m_place = 0;
};

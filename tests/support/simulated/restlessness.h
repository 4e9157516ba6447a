// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "residual_tape.h"
#include "search/random_source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Why the same work takes longer at one moment than at another, or at one size than at its neighbors: all
/// that a calm simulated device lacks. Shares are of the calm time; 0 turns a part off.
///
/// The parts but the last are events in continuous time and none is normal, so that the search, which takes
/// the speed of a device for a Gaussian process, does not meet its own assumptions.
struct Restlessness
{
    /// The clock of the device steps between two speeds and keeps each for exponential times.
    double slowdown = 0.0;
    double fastSeconds = 0.0;
    double slowSeconds = 0.0;
    /// Other programs come, stay for exponential times, and go.
    double burstSlowdown = 0.0;
    double secondsBetweenBursts = 0.0;
    double burstSeconds = 0.0;
    /// Other programs that keep one of a few processors busy for so long, and pause for so long, both
    /// exponential times; each trial and visit tells what share of the processors they took (besideShare
    /// while they run), and how much longer work takes then differs from the share by the exponent of what is
    /// left.
    double besideShare = 0.0;
    double besideExponent = 1.0;
    double besideSeconds = 0.0;
    double besidePauseSeconds = 0.0;
    /// Heat builds up under load and the clock falls: the slowdown of a hot device, and the time in which it
    /// comes near it.
    double heatSlowdown = 0.0;
    double heatSeconds = 0.0;
    /// Standard deviation from one trial to the next however long they are, as of another layout of memory.
    double trialNoise = 0.0;
    /// Share of trials during which another program is seen, which take longer by up to so much. Comparisons
    /// are left alone.
    double seenShare = 0.0;
    double seenSlowdown = 0.0;
    /// Share of steps that stall, for one to three times their own time.
    double stallShare = 0.0;
    /// Standard deviation from each size to the next, the same whenever the size is run.
    double roughness = 0.0;
    /// Noise of a recorded device, in the place of all that a simulated one has; nothing where it has its
    /// own.
    std::shared_ptr<const ResidualTape> residuals = {};
};

/// Names of the worlds that searches are judged in beside the calm one: each a kind of restlessness.
std::vector<std::string> restlessWorlds();

/// One device's restlessness in a world; the same for the same seed. The calm world has the empty name.
///
/// \throws std::invalid_argument where there is no such world
Restlessness restlessnessOf(const std::string& world, std::uint64_t seed);

/// By what share a size takes longer because of the roughness.
double roughnessAt(const Restlessness& restlessness, std::uint64_t seed, std::int64_t size);

/// The speed of one restless device as time goes on.
class DeviceSpeed
{
public:
    DeviceSpeed(const Restlessness& restlessness, std::uint64_t seed);

    /// Lets the device rest until then [s], never backwards.
    void restUntil(double clock);
    /// Works from now on. \param calmSeconds  what it takes on the calm device [s]
    /// \return seconds that it takes now
    double work(double calmSeconds);
    /// What is to come is drawn anew; the present stays as it is.
    void reseed(std::uint64_t seed);
    /// Now [s].
    double clock() const { return m_clock; }
    /// The time since the beginning, weighed with the share that other programs took [s].
    double takenSeconds() const { return m_takenSeconds; }
    /// What is played of a recorded device's noise; nothing where there is none.
    const TapePlayer* player() const { return m_player ? &*m_player : nullptr; }

private:
    double slowdownNow() const;
    /// Until something may change at the most [s].
    double calmFor() const;
    void pass(double seconds, double load);
    double exponential(double mean);

    Restlessness m_restlessness;
    batchpeak::search::RandomSource m_random;
    double m_clock = 0.0;
    bool m_isSlow = false;
    double m_speedChange = 0.0;
    bool m_isBurst = false;
    double m_burstChange = 0.0;
    bool m_isBeside = false;
    double m_besideChange = 0.0;
    double m_takenSeconds = 0.0;
    /// 0 cold, 1 as hot as constant load makes it.
    double m_heat = 0.0;
    std::optional<TapePlayer> m_player;
};

/// Time that constant work takes in the long run over what it takes on the calm device, the noise of single
/// trials left out but for a recorded device's.
double longRunSlowdown(const Restlessness& restlessness);

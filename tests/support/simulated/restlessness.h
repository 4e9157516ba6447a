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

/// Reasons why the same work takes longer at one moment than at another, or at one size than at its
/// neighbors: everything that a calm simulated device lacks. Shares are relative to the calm time; 0 turns a
/// part off.
///
/// All parts but the last are events in continuous time and none is normally distributed, so that the search,
/// which models the speed of a device as a Gaussian process, does not meet its own assumptions.
struct Restlessness
{
    /// The clock of the device switches between two speeds and keeps each for exponential times.
    double slowdown = 0.0;
    double fastSeconds = 0.0;
    double slowSeconds = 0.0;
    /// Other programs come, stay for exponential times, and go.
    double burstSlowdown = 0.0;
    double secondsBetweenBursts = 0.0;
    double burstSeconds = 0.0;
    /// Other programs keep one of a few processors busy for besideSeconds and pause for besidePauseSeconds,
    /// both mean values of exponential times. Each trial and visit reports the share of the processors that
    /// they took (besideShare while they run). Work then takes (1 - besideShare)^-besideExponent times as
    /// long.
    double besideShare = 0.0;
    double besideExponent = 1.0;
    double besideSeconds = 0.0;
    double besidePauseSeconds = 0.0;
    /// Heat builds up under load and the clock falls: the slowdown of a hot device, and the time in which it
    /// approaches that slowdown.
    double heatSlowdown = 0.0;
    double heatSeconds = 0.0;
    /// Standard deviation between trials, whatever their length, as from another layout of memory.
    double trialNoise = 0.0;
    /// Share of trials during which another program is observed, and the largest share by which they take
    /// longer. Comparisons are not affected.
    double seenShare = 0.0;
    double seenSlowdown = 0.0;
    /// Share of steps that stall for one to three times their own time.
    double stallShare = 0.0;
    /// Standard deviation between sizes, the same whenever a size is run.
    double roughness = 0.0;
    /// Noise of a recorded device, which replaces all simulated noise; null if the device has simulated
    /// noise.
    std::shared_ptr<const ResidualTape> residuals = {};
};

/// Returns the names of the worlds that searches are judged in, in addition to the calm one: each is a kind
/// of restlessness.
std::vector<std::string> restlessWorlds();

/// Returns one device's restlessness in a world; the same for the same seed. The calm world has the empty
/// name.
///
/// \throws std::invalid_argument if there is no such world
Restlessness restlessnessOf(const std::string& world, std::uint64_t seed);

/// Returns the share by which a size takes longer because of the roughness.
double roughnessAt(const Restlessness& restlessness, std::uint64_t seed, std::int64_t size);

/// The speed of one restless device over time.
class DeviceSpeed
{
public:
    DeviceSpeed(const Restlessness& restlessness, std::uint64_t seed);

    /// Lets the device rest until then [s], never backwards.
    void restUntil(double clock);
    /// Works from now on.
    /// \param calmSeconds  time of the work on the calm device [s]
    /// \return time of the work now [s]
    double work(double calmSeconds);
    /// Draws the future anew; the present stays as it is.
    void reseed(std::uint64_t seed);
    /// Current time [s].
    double clock() const { return m_clock; }
    /// Time since the beginning, weighted with the share that other programs took [s].
    double takenSeconds() const { return m_takenSeconds; }
    /// Player of a recorded device's noise; null if there is none.
    const TapePlayer* player() const { return m_player ? &*m_player : nullptr; }

private:
    double slowdownNow() const;
    /// Longest time until something may change [s].
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

/// Returns the ratio of the time of constant work in the long run to its time on the calm device, without the
/// noise of single trials unless the device is a recorded one.
double longRunSlowdown(const Restlessness& restlessness);

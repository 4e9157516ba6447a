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

/// Disturbances that a calm simulated device lacks: they make the same work take longer at one moment than at
/// another, or at one size than at its neighbors. Shares are relative to the calm time; 0 disables a part.
///
/// The two speeds, bursts, contention and heat act in continuous time, and of the simulated parts only the
/// roughness is normally distributed: the search, which models the speed of a device as a Gaussian process,
/// must not meet its own assumptions.
struct Restlessness
{
    /// The clock of the device alternates between two speeds and keeps each for exponentially distributed
    /// times.
    double slowdown = 0.0;
    double fastSeconds = 0.0;
    double slowSeconds = 0.0;
    /// Bursts of other programs: their durations and the pauses between them are exponentially distributed.
    double burstSlowdown = 0.0;
    double secondsBetweenBursts = 0.0;
    double burstSeconds = 0.0;
    /// Contention: other programs keep processors busy for contentionSeconds and pause for
    /// contentionPauseSeconds, both mean values of exponentially distributed times. While they run, they take
    /// contentionShare of the processors, and work takes (1 - contentionShare)^-contentionExponent times as
    /// long. Each trial and visit reports the share that they took during it.
    double contentionShare = 0.0;
    double contentionExponent = 1.0;
    double contentionSeconds = 0.0;
    double contentionPauseSeconds = 0.0;
    /// Slowdown of a hot device, whose clock falls because heat builds up under load, and time in which the
    /// device approaches this slowdown.
    double heatSlowdown = 0.0;
    double heatSeconds = 0.0;
    /// Standard deviation between trials of any length, as from different memory layouts.
    double trialNoise = 0.0;
    /// Share of trials during which another program is observed, and the largest share by which these trials
    /// take longer. Comparisons are not affected.
    double seenShare = 0.0;
    double seenSlowdown = 0.0;
    /// Share of steps that stall for one to three times their own time.
    double stallShare = 0.0;
    /// Standard deviation between sizes. The deviation of a size is the same in all of its trials.
    double roughness = 0.0;
    /// Noise of a recorded device, which replaces all simulated noise; null if the noise is simulated.
    std::shared_ptr<const ResidualTape> residuals = {};
};

/// Returns the names of the worlds in which searches are judged, in addition to the calm one. Each is a kind
/// of restlessness.
std::vector<std::string> restlessWorlds();

/// Returns the restlessness of one device in a world, which is the same for the same seed. The name of the
/// calm world is empty.
///
/// \throws std::invalid_argument if there is no such world
Restlessness restlessnessOf(const std::string& world, std::uint64_t seed);

/// Returns the share by which a size takes longer because of the roughness.
double roughnessAt(const Restlessness& restlessness, std::uint64_t seed, std::int64_t size);

/// Speed of one restless device over time.
class DeviceSpeed
{
public:
    DeviceSpeed(const Restlessness& restlessness, std::uint64_t seed);

    /// Lets the device rest until \p clock [s]; does nothing if that time is past.
    void restUntil(double clock);
    /// Runs work that starts now and advances the clock.
    /// \param calmSeconds  time of the work on the calm device [s]
    /// \return actual time of the work [s]
    double work(double calmSeconds);
    /// Replaces the random source: future changes are drawn again, and the current state does not change.
    void reseed(std::uint64_t seed);
    /// Current time [s].
    double clock() const { return m_clock; }
    /// Time since the start, weighted with the share of the processors that other programs took [s].
    double takenSeconds() const { return m_takenSeconds; }
    /// Player of a recorded device's noise; null if there is none.
    const TapePlayer* player() const { return m_player ? &*m_player : nullptr; }

private:
    double slowdownNow() const;
    /// Time until the slowdown may change [s].
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
    bool m_isContended = false;
    double m_contentionChange = 0.0;
    double m_takenSeconds = 0.0;
    /// Heat: 0 for a cold device, 1 for a device after constant full load.
    double m_heat = 0.0;
    std::optional<TapePlayer> m_player;
};

/// Returns the long-run ratio of the time of constant work to its time on the calm device. It includes the
/// noise of single trials only if that noise is recorded.
double longRunSlowdown(const Restlessness& restlessness);

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "restlessness.h"
#include "search/random_source.h"
#include "search/strategy.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class SweepTruth;

/// Device that is a formula or a table. It provides the measurements of trials, and the truth, which a search
/// can only estimate. All randomness comes from the seed.
class ReplayDevice
{
public:
    struct Truth
    {
        std::string family;
        /// Time of one micro-batch on the calm device [s].
        std::function<double(std::int64_t)> seconds;
        /// Peak reserved bytes; a size fits if they are within limitBytes.
        std::function<double(std::int64_t)> peakBytes;
        double baselineBytes = 0.0;
        double limitBytes = 0.0;
        std::int64_t maximum = 65535;
        /// Size from which the allocator flushes its cache repeatedly; 0 if it never does so.
        std::int64_t thrashesFrom = 0;
        /// Probability that the worker's counters show the thrashing.
        double thrashSeen = 0.7;
        /// Relative standard deviations of single steps, of whole runs, and of the slow drift.
        double stepNoise = 0.01;
        double runNoise = 0.003;
        double drift = 0.0;
        double outlierShare = 0.0;
        double setupSeconds = 0.5;
        /// Time of the optimizer step, which is not part of a micro-batch.
        double optimizerSeconds = 0.0;
        Restlessness restlessness;
        /// All possible curves of a recorded device; null if the curve is known.
        std::shared_ptr<const SweepTruth> possible = {};
    };

    ReplayDevice(Truth truth, std::uint64_t seed);

    const Truth& truth() const { return m_truth; }
    /// Returns the search space of the device.
    batchpeak::search::SearchSpace space() const;
    batchpeak::search::Measurement run(const batchpeak::search::Proposal& proposal);
    double clockSeconds() const { return m_speed.clock(); }
    /// Advances the clock without a trial, while another device runs one; does nothing if the time is past.
    void waitUntil(double clockSeconds) { m_speed.restUntil(clockSeconds); }
    /// Replaces the random source from now on; the device and its past do not change.
    void reseed(std::uint64_t seed);

    bool fits(std::int64_t size) const;
    /// Largest size such that it and all smaller sizes fit.
    std::int64_t largestFit() const { return m_largestFit; }
    /// True speed [samples/s] of the fastest size that fits among \p candidates, or among all sizes if the
    /// list is empty.
    double bestSpeed(const std::vector<std::int64_t>& candidates) const;
    double speed(std::int64_t size) const;
    /// Ratio of a step's long-run mean time to its calm time, including all noise.
    double meanSlowdown() const;
    /// Cost of an undisturbed trial [s], or of one that runs out of memory.
    double trialSeconds(std::int64_t size) const;
    /// Cost of trials of 1, 2, 4, ... up to the limit [s].
    double rampSeconds() const;

private:
    double driftNow();
    /// Returns ln of the deviation of a trial, or of one visit of a comparison, that begins now; 0 unless the
    /// device plays recorded noise.
    /// \param skippedVisits  number of visits to skip on the tape
    double recordedNoise(std::size_t skippedVisits = 0) const;
    /// Makes the following steps deviate like those of the recorded visit that is currently played.
    void beginVisit();
    /// Returns ln of the deviation of the next step; 0 unless the device plays recorded noise.
    double recordedStepNoise();
    /// Runs one step and returns its time [s].
    /// \param typical  typical time of the step [s]
    double stepSeconds(double typical);
    batchpeak::search::Measurement compare(const batchpeak::search::Proposal& proposal);

    Truth m_truth;
    std::uint64_t m_seed;
    batchpeak::search::RandomSource m_random;
    std::int64_t m_largestFit = 0;
    DeviceSpeed m_speed;
    double m_drift = 0.0;
    double m_driftClock = -1e9;
    /// Recorded visit whose steps a trial plays, and the next of these steps.
    std::size_t m_playedVisit = 0;
    std::size_t m_playedStep = 0;
};

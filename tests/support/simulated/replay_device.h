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

/// A device that is a formula or a table: what a trial would measure on it, and the truth that a search can
/// only estimate. All chance comes from the seed.
class ReplayDevice
{
public:
    struct Truth
    {
        std::string family;
        /// Time of one micro-batch when all is calm [s].
        std::function<double(std::int64_t)> seconds;
        /// Peak reserved bytes; a size fits when they are within limitBytes.
        std::function<double(std::int64_t)> peakBytes;
        double baselineBytes = 0.0;
        double limitBytes = 0.0;
        std::int64_t maximum = 65535;
        /// Sizes from which the allocator flushes its cache again and again; 0 where it never does.
        std::int64_t thrashesFrom = 0;
        /// How often the worker's counters show it.
        double thrashSeen = 0.7;
        /// Relative deviations of single steps, of whole runs, and of the slow drift.
        double stepNoise = 0.01;
        double runNoise = 0.003;
        double drift = 0.0;
        double outlierShare = 0.0;
        double setupSeconds = 0.5;
        /// Of the optimizer step, which is no part of a micro-batch.
        double optimizerSeconds = 0.0;
        Restlessness restlessness;
        /// Of a recorded device: everything else that its curve may be. Nothing where the curve is known.
        std::shared_ptr<const SweepTruth> possible = {};
    };

    ReplayDevice(Truth truth, std::uint64_t seed);

    const Truth& truth() const { return m_truth; }
    /// What a search on it would be asked.
    batchpeak::search::SearchSpace space() const;
    batchpeak::search::Measurement run(const batchpeak::search::Proposal& proposal);
    double clockSeconds() const { return m_speed.clock(); }
    /// Lets time pass without a trial, where another device has one; never backwards.
    void waitUntil(double clockSeconds) { m_speed.restUntil(clockSeconds); }
    /// The device is the same, and so is what it did; the chance from now on is another.
    void reseed(std::uint64_t seed);

    bool fits(std::int64_t size) const;
    /// Largest size up to which all fit.
    std::int64_t largestFit() const { return m_largestFit; }
    /// True samples/s of the best of these sizes that fits; of all sizes where the list is empty.
    double bestSpeed(const std::vector<std::int64_t>& candidates) const;
    double speed(std::int64_t size) const;
    /// Mean time of a step in the long run over its calm time, all noise included.
    double meanSlowdown() const;
    /// Cost of an undisturbed trial [s], failures included.
    double trialSeconds(std::int64_t size) const;
    /// Of 1, 2, 4, ... to the limit [s].
    double rampSeconds() const;

private:
    double driftNow();
    /// ln of what a trial from now on, or one visit of a comparison, has of its own on a recorded device;
    /// else 0. \param others  so many visits further on the tape
    double recordedNoise(std::size_t others = 0) const;
    /// From now on steps deviate as those of the recorded visit do that is played at this moment.
    void beginVisit();
    /// ln of the next one's deviation; 0 on a device that is not recorded.
    double recordedStepNoise();
    /// One step from now on, whose typical time is this [s].
    double stepSeconds(double typical);
    batchpeak::search::Measurement compare(const batchpeak::search::Proposal& proposal);

    Truth m_truth;
    std::uint64_t m_seed;
    batchpeak::search::RandomSource m_random;
    std::int64_t m_largestFit = 0;
    DeviceSpeed m_speed;
    double m_drift = 0.0;
    double m_driftClock = -1e9;
    /// The steps of the recorded visit that a trial plays.
    std::size_t m_playedVisit = 0;
    std::size_t m_playedStep = 0;
};

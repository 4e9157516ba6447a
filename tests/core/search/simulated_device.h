// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "random_source.h"
#include "strategy.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// A device that is a formula: what a trial would measure on it, and the truth that a search can only
/// estimate. All chance comes from the seed.
class SimulatedDevice
{
public:
    struct World
    {
        std::string family;
        /// True time of one micro-batch [s].
        std::function<double(std::int64_t)> seconds;
        /// Peak reserved bytes.
        std::function<std::int64_t(std::int64_t)> peakBytes;
        std::int64_t baselineBytes = 0;
        std::int64_t limitBytes = 0;
        std::int64_t maximum = 65535;
        /// Relative deviation of single steps, and of whole runs.
        double stepNoise = 0.01;
        double runNoise = 0.003;
    };

    SimulatedDevice(World world, std::uint64_t seed);

    batchpeak::search::SearchSpace space() const;
    batchpeak::search::Measurement run(const batchpeak::search::Proposal& proposal);

    bool fits(std::int64_t size) const;
    std::int64_t largestFit() const;
    /// True samples/s over that of the best size that fits.
    double performance(std::int64_t size) const;
    double bestSamplesPerSecond() const { return m_bestSamplesPerSecond; }
    const World& world() const { return m_world; }

private:
    double samplesPerSecond(std::int64_t size) const;

    World m_world;
    std::uint64_t m_seed;
    batchpeak::search::RandomSource m_random;
    double m_clockSeconds = 0.0;
    double m_bestSamplesPerSecond = 0.0;
};

/// Worlds of one family: "affine", "saw", "plateau", "peak", "short memory" and "noisy".
SimulatedDevice::World simulatedWorld(const std::string& family, std::uint64_t seed);
std::vector<std::string> simulatedFamilies();

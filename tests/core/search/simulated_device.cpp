// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulated_device.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

using namespace batchpeak::search;

namespace {

constexpr double setupSeconds = 0.5;
constexpr double warmupSteps = 4.5;
constexpr int stepsUntilAbandoned = 3;
constexpr std::int64_t segmentBytes = std::int64_t{20} << 20;

double logUniform(RandomSource& random, double low, double high)
{
    return low * std::pow(high / low, random.uniform());
}

} // namespace

SimulatedDevice::SimulatedDevice(World world, std::uint64_t seed)
    : m_world(std::move(world)), m_seed(seed), m_random(seed * 2 + 1)
{
    const std::int64_t largest = largestFit();
    for (std::int64_t size = 1; size <= largest; ++size)
        m_bestSamplesPerSecond = std::max(m_bestSamplesPerSecond, samplesPerSecond(size));
}

SearchSpace SimulatedDevice::space() const
{
    return {.maximum = m_world.maximum,
            .memoryLimitBytes = m_world.limitBytes,
            .baselineBytes = m_world.baselineBytes,
            .seed = m_seed};
}

Measurement SimulatedDevice::run(const Proposal& proposal)
{
    Measurement trial{.size = proposal.size, .peakReservedBytes = m_world.peakBytes(proposal.size)};
    if (!fits(proposal.size)) {
        trial.outcome = Measurement::Outcome::DoesNotFit;
        trial.wallSeconds = setupSeconds;
    } else {
        trial.outcome = Measurement::Outcome::Ok;
        const double typical =
            m_world.seconds(proposal.size) * std::exp(m_world.runNoise * m_random.normal());
        double sum = 0.0;
        for (int step = 0; step < proposal.maxSteps; ++step) {
            if (step >= proposal.minSteps && sum >= proposal.minSeconds)
                break;
            trial.stepSeconds.push_back(typical * std::exp(m_world.stepNoise * m_random.normal()));
            sum += trial.stepSeconds.back();
            trial.abandoned = proposal.abandonAboveSeconds > 0.0 && step + 1 == stepsUntilAbandoned &&
                              std::ranges::min(trial.stepSeconds) > proposal.abandonAboveSeconds;
            if (trial.abandoned)
                break;
        }
        trial.secondsPerStep = sum / static_cast<double>(trial.stepSeconds.size());
        trial.wallSeconds = setupSeconds + warmupSteps * typical + sum;
    }
    m_clockSeconds += trial.wallSeconds;
    trial.clockSeconds = m_clockSeconds;
    return trial;
}

bool SimulatedDevice::fits(std::int64_t size) const
{
    return size <= m_world.maximum && m_world.peakBytes(size) <= m_world.limitBytes;
}

std::int64_t SimulatedDevice::largestFit() const
{
    std::int64_t low = 0;
    std::int64_t high = m_world.maximum + 1;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

double SimulatedDevice::performance(std::int64_t size) const
{
    return samplesPerSecond(size) / m_bestSamplesPerSecond;
}

double SimulatedDevice::samplesPerSecond(std::int64_t size) const
{
    return static_cast<double>(size) / m_world.seconds(size);
}

std::vector<std::string> simulatedFamilies()
{
    return {"affine", "saw", "plateau", "peak", "short memory", "noisy"};
}

SimulatedDevice::World simulatedWorld(const std::string& family, std::uint64_t seed)
{
    RandomSource random(seed);
    const double perSample = logUniform(random, 1e-4, 3e-2);
    const double halfSpeedSize = logUniform(random, 1.0, 60.0);
    const double overhead = perSample * halfSpeedSize;
    const auto affine = [=](std::int64_t size) { return overhead + perSample * static_cast<double>(size); };

    SimulatedDevice::World world{.family = family, .seconds = affine};
    world.stepNoise = logUniform(random, 0.003, 0.02);
    world.runNoise = logUniform(random, 0.001, 0.005);

    const bool hasShortMemory = family == "short memory";
    const double largest = hasShortMemory ? logUniform(random, 1.5, 16.0) : logUniform(random, 16.0, 2000.0);
    world.limitBytes = std::int64_t{16} << 30;
    world.baselineBytes = std::int64_t{2} << 30;
    const double bytesPerSample = static_cast<double>(world.limitBytes - world.baselineBytes) / largest;
    const std::int64_t baseline = world.baselineBytes;
    world.peakBytes = [=](std::int64_t size) {
        const auto above = static_cast<std::int64_t>(bytesPerSample * static_cast<double>(size));
        return baseline + (above + segmentBytes - 1) / segmentBytes * segmentBytes;
    };

    if (family == "saw") {
        const double wave = std::round(logUniform(random, 4.0, std::max(5.0, largest / 3.0)));
        const double share = 0.3 + 0.5 * random.uniform();
        world.seconds = [=](std::int64_t size) {
            const double waves = std::ceil(static_cast<double>(size) / wave);
            return overhead + perSample * ((1.0 - share) * static_cast<double>(size) + share * wave * waves);
        };
    } else if (family == "plateau") {
        world.seconds = [=](std::int64_t size) {
            return std::max(overhead * 4.0, perSample * static_cast<double>(size));
        };
    } else if (family == "peak") {
        const double peak = logUniform(random, 4.0, largest);
        const double decline = 0.05 + 0.2 * random.uniform();
        world.seconds = [=](std::int64_t size) {
            const double doublings = std::max(0.0, std::log2(static_cast<double>(size) / peak));
            return affine(size) * (1.0 + decline * doublings);
        };
    } else if (family == "noisy") {
        world.stepNoise = 0.06;
        world.runNoise = 0.012;
    } else if (family != "affine" && !hasShortMemory) {
        throw std::invalid_argument("No such family: " + family);
    }
    return world;
}

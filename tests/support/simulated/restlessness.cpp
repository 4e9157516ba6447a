// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "restlessness.h"

#include "random_draws.h"
#include "sweep_collection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

using batchpeak::search::RandomSource;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::uint64_t worldSeedStep = 49979687;
constexpr std::uint64_t sizeSeedStep = 86028121;

// Heat at which the clock begins to fall, and heat at which it reaches its lowest value.
constexpr double warm = 0.4;
constexpr double hot = 0.9;
/// Load of a device that waits for its next trial.
constexpr double restLoad = 0.15;
/// Share of heatSeconds during which heat is treated as constant.
constexpr double heatStep = 0.02;

void addTwoSpeeds(Restlessness& restlessness, RandomSource& random, double min, double max)
{
    restlessness.slowdown = uniform(random, min, max);
    restlessness.fastSeconds = logUniform(random, 4.0, 60.0);
    restlessness.slowSeconds = logUniform(random, 4.0, 60.0);
}

void addBursts(Restlessness& restlessness, RandomSource& random)
{
    restlessness.burstSlowdown = uniform(random, 0.1, 0.6);
    restlessness.secondsBetweenBursts = logUniform(random, 8.0, 40.0);
    restlessness.burstSeconds = logUniform(random, 0.4, 5.0);
}

} // namespace

std::vector<std::string> restlessWorlds()
{
    return {"two-speed", "bursts", "trial noise", "thermal", "heavy",  "seen",
            "wild",      "rough",  "replayed",    "beside",  "crowded"};
}

Restlessness restlessnessOf(const std::string& world, std::uint64_t seed)
{
    Restlessness restlessness;
    RandomSource random(seed * worldSeedStep);
    if (world == "two-speed") {
        addTwoSpeeds(restlessness, random, 0.04, 0.1);
    } else if (world == "bursts") {
        addBursts(restlessness, random);
    } else if (world == "trial noise") {
        restlessness.trialNoise = uniform(random, 0.012, 0.03);
    } else if (world == "thermal") {
        restlessness.heatSlowdown = uniform(random, 0.03, 0.08);
        restlessness.heatSeconds = logUniform(random, 15.0, 90.0);
    } else if (world == "heavy") {
        addTwoSpeeds(restlessness, random, 0.08, 0.12);
        addBursts(restlessness, random);
        restlessness.trialNoise = 0.01;
        restlessness.stallShare = 0.02;
    } else if (world == "seen") {
        restlessness.seenShare = uniform(random, 0.1, 0.4);
        restlessness.seenSlowdown = uniform(random, 0.1, 1.0);
    } else if (world == "wild") {
        restlessness.trialNoise = uniform(random, 0.05, 0.1);
    } else if (world == "rough") {
        restlessness.roughness = 0.01;
    } else if (world == "replayed") {
        const std::vector<std::string> sweeps = SweepCollection::names();
        restlessness.residuals = SweepCollection::residuals(
            sweeps[static_cast<std::size_t>(random.uniform() * static_cast<double>(sweeps.size()))]);
    } else if (world == "beside" || world == "crowded") {
        restlessness.contentionShare = uniform(random, 0.2, 0.5);
        restlessness.contentionExponent = uniform(random, 0.7, 1.8);
        restlessness.contentionSeconds = 15.0;
        restlessness.contentionPauseSeconds = world == "beside" ? 15.0 : 1.0;
    } else if (!world.empty()) {
        throw std::invalid_argument("There is no restless world called " + world + ".");
    }
    return restlessness;
}

double roughnessAt(const Restlessness& restlessness, std::uint64_t seed, std::int64_t size)
{
    if (restlessness.roughness == 0.0)
        return 0.0;
    RandomSource random(seed * worldSeedStep + static_cast<std::uint64_t>(size) * sizeSeedStep);
    return restlessness.roughness * random.normal();
}

DeviceSpeed::DeviceSpeed(const Restlessness& restlessness, std::uint64_t seed)
    : m_restlessness(restlessness),
      m_random(seed * worldSeedStep + 1),
      m_speedChange(never),
      m_burstChange(never),
      m_contentionChange(never)
{
    if (restlessness.slowdown > 0.0) {
        const double cycle = restlessness.fastSeconds + restlessness.slowSeconds;
        m_isSlow = m_random.uniform() * cycle < restlessness.slowSeconds;
        m_speedChange = exponential(m_isSlow ? restlessness.slowSeconds : restlessness.fastSeconds);
    }
    if (restlessness.burstSlowdown > 0.0)
        m_burstChange = exponential(restlessness.secondsBetweenBursts);
    if (restlessness.contentionShare > 0.0) {
        const double cycle = restlessness.contentionSeconds + restlessness.contentionPauseSeconds;
        m_isContended = m_random.uniform() * cycle < restlessness.contentionSeconds;
        m_contentionChange =
            exponential(m_isContended ? restlessness.contentionSeconds : restlessness.contentionPauseSeconds);
    }
    if (restlessness.residuals)
        m_player.emplace(restlessness.residuals, seed * worldSeedStep + 2);
}

void DeviceSpeed::reseed(std::uint64_t seed)
{
    m_random = RandomSource(seed * worldSeedStep + 1);
    // Exponentially distributed times are memoryless, so the remaining times can be drawn again.
    if (m_speedChange != never)
        m_speedChange =
            m_clock + exponential(m_isSlow ? m_restlessness.slowSeconds : m_restlessness.fastSeconds);
    if (m_burstChange != never)
        m_burstChange = m_clock + exponential(m_isBurst ? m_restlessness.burstSeconds
                                                        : m_restlessness.secondsBetweenBursts);
    if (m_contentionChange != never)
        m_contentionChange = m_clock + exponential(m_isContended ? m_restlessness.contentionSeconds
                                                                 : m_restlessness.contentionPauseSeconds);
    if (m_player)
        m_player->reseed(seed * worldSeedStep + 2);
}

double DeviceSpeed::exponential(double mean)
{
    return -mean * std::log(1.0 - m_random.uniform());
}

double DeviceSpeed::slowdownNow() const
{
    const double heat = std::clamp((m_heat - warm) / (hot - warm), 0.0, 1.0);
    return (m_isSlow ? 1.0 + m_restlessness.slowdown : 1.0) *
           (m_isBurst ? 1.0 + m_restlessness.burstSlowdown : 1.0) *
           (m_isContended ? std::pow(1.0 - m_restlessness.contentionShare, -m_restlessness.contentionExponent)
                          : 1.0) *
           (1.0 + m_restlessness.heatSlowdown * heat) * (m_player ? std::exp(m_player->deviceSpeed()) : 1.0);
}

double DeviceSpeed::calmFor() const
{
    const double heat = m_restlessness.heatSlowdown > 0.0 ? heatStep * m_restlessness.heatSeconds : never;
    return std::min({m_speedChange - m_clock, m_burstChange - m_clock, m_contentionChange - m_clock, heat,
                     m_player ? m_player->sameFor() : never});
}

void DeviceSpeed::pass(double seconds, double load)
{
    m_clock += seconds;
    m_takenSeconds += m_isContended ? m_restlessness.contentionShare * seconds : 0.0;
    if (m_player)
        m_player->moveTo(m_clock);
    if (m_restlessness.heatSlowdown > 0.0)
        m_heat = load + (m_heat - load) * std::exp(-seconds / m_restlessness.heatSeconds);
    if (m_clock >= m_speedChange - clockTick) {
        m_isSlow = !m_isSlow;
        m_speedChange += exponential(m_isSlow ? m_restlessness.slowSeconds : m_restlessness.fastSeconds);
    }
    if (m_clock >= m_burstChange - clockTick) {
        m_isBurst = !m_isBurst;
        m_burstChange +=
            exponential(m_isBurst ? m_restlessness.burstSeconds : m_restlessness.secondsBetweenBursts);
    }
    if (m_clock >= m_contentionChange - clockTick) {
        m_isContended = !m_isContended;
        m_contentionChange += exponential(m_isContended ? m_restlessness.contentionSeconds
                                                        : m_restlessness.contentionPauseSeconds);
    }
}

void DeviceSpeed::restUntil(double clock)
{
    while (m_clock < clock)
        pass(std::min(clock - m_clock, calmFor()), restLoad);
}

double DeviceSpeed::work(double calmSeconds)
{
    if (calmFor() == never) {
        m_clock += calmSeconds;
        return calmSeconds;
    }
    const double began = m_clock;
    while (calmSeconds > 0.0) {
        const double slowdown = slowdownNow();
        const double longest = calmFor();
        if (calmSeconds * slowdown < longest) {
            pass(calmSeconds * slowdown, 1.0);
            break;
        }
        calmSeconds -= longest / slowdown;
        pass(longest, 1.0);
    }
    return m_clock - began;
}

double longRunSlowdown(const Restlessness& restlessness)
{
    // The shares of time follow from the means of the renewal processes. Speeds are averaged instead of
    // times, since the amount of work counts.
    double speed = 1.0;
    if (restlessness.slowdown > 0.0) {
        const double slow = restlessness.slowSeconds / (restlessness.fastSeconds + restlessness.slowSeconds);
        speed *= 1.0 - slow + slow / (1.0 + restlessness.slowdown);
    }
    if (restlessness.burstSlowdown > 0.0) {
        const double share =
            restlessness.burstSeconds / (restlessness.burstSeconds + restlessness.secondsBetweenBursts);
        speed *= 1.0 - share + share / (1.0 + restlessness.burstSlowdown);
    }
    if (restlessness.contentionShare > 0.0) {
        const double share = restlessness.contentionSeconds /
                             (restlessness.contentionSeconds + restlessness.contentionPauseSeconds);
        speed *= 1.0 - share +
                 share * std::pow(1.0 - restlessness.contentionShare, restlessness.contentionExponent);
    }
    const double recorded = restlessness.residuals ? restlessness.residuals->meanSlowdown() : 1.0;
    const double seen = 1.0 + 0.5 * restlessness.seenShare * restlessness.seenSlowdown;
    // A stall adds one to three times the step's own time, which is twice on average.
    return recorded * seen * (1.0 + restlessness.heatSlowdown) * (1.0 + 2.0 * restlessness.stallShare) /
           speed;
}

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay_device.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

using namespace batchpeak::search;

namespace {

constexpr double comparedWarmupSteps = 3.0;
constexpr int stepsUntilAbandoned = 3;
constexpr double driftSeconds = 45.0;
constexpr double failureSeconds = 1.0;
/// Contention above which the gate of the worker reports a trial as disturbed.
constexpr double disturbedFrom = 0.1;

constexpr double slowStepSeconds = 1.0;

double defaultSteps(double seconds)
{
    return seconds > slowStepSeconds ? 3.0 : std::clamp(std::ceil(0.4 / seconds), 5.0, 24.0);
}

/// Returns the cost of the warm-up, as a number of steps. The first step is slow, which matters less if steps
/// are long.
double warmupSteps(double seconds)
{
    return seconds > slowStepSeconds ? 2.5 : 4.5;
}

/// Draws from a Laplace distribution with mean 0 and standard deviation 1.
double laplace(RandomSource& random)
{
    const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
    return -sign * std::sqrt(0.5) * std::log(1.0 - random.uniform());
}

} // namespace

ReplayDevice::ReplayDevice(Truth truth, std::uint64_t seed)
    : m_truth(std::move(truth)), m_seed(seed), m_random(seed * 2 + 1), m_speed(m_truth.restlessness, seed)
{
    while (m_largestFit < m_truth.maximum && m_truth.peakBytes(m_largestFit + 1) <= m_truth.limitBytes)
        ++m_largestFit;
}

void ReplayDevice::reseed(std::uint64_t seed)
{
    m_random = RandomSource(seed * 2 + 1);
    m_speed.reseed(seed);
}

bool ReplayDevice::fits(std::int64_t size) const
{
    return size <= m_truth.maximum && m_truth.peakBytes(size) <= m_truth.limitBytes;
}

SearchSpace ReplayDevice::space() const
{
    return {.maximum = m_truth.maximum,
            .memoryLimitBytes = static_cast<std::int64_t>(m_truth.limitBytes),
            .baselineBytes = static_cast<std::int64_t>(m_truth.baselineBytes),
            .seed = m_seed};
}

double ReplayDevice::driftNow()
{
    const double keeps = std::exp(-(m_speed.clock() - m_driftClock) / driftSeconds);
    m_drift = keeps * m_drift + std::sqrt(1.0 - keeps * keeps) * m_random.normal();
    m_driftClock = m_speed.clock();
    return m_truth.drift * m_drift;
}

double ReplayDevice::recordedNoise(std::size_t skippedVisits) const
{
    const TapePlayer* player = m_speed.player();
    return player ? player->visitAt(player->place() + skippedVisits).visit : 0.0;
}

void ReplayDevice::beginVisit()
{
    const TapePlayer* player = m_speed.player();
    if (!player)
        return;
    m_playedVisit = player->place();
    // The first step is random: otherwise trials with few steps would use only the first steps of each visit.
    const auto steps = static_cast<double>(player->visitAt(m_playedVisit).steps.size());
    m_playedStep = static_cast<std::size_t>(steps * m_random.uniform());
}

double ReplayDevice::recordedStepNoise()
{
    const TapePlayer* player = m_speed.player();
    if (!player)
        return 0.0;
    if (m_playedStep >= player->visitAt(m_playedVisit).steps.size()) {
        ++m_playedVisit;
        m_playedStep = 0;
    }
    return player->visitAt(m_playedVisit).steps[m_playedStep++];
}

double ReplayDevice::stepSeconds(double typical)
{
    double seconds = typical * std::exp(m_truth.stepNoise * m_random.normal());
    if (m_random.uniform() < m_truth.outlierShare)
        seconds *= 1.2 + m_random.uniform();
    const double stalls = m_truth.restlessness.stallShare;
    if (stalls > 0.0 && m_random.uniform() < stalls)
        seconds *= 2.0 + 2.0 * m_random.uniform();
    seconds *= std::exp(recordedStepNoise());
    return m_speed.work(seconds);
}

Measurement ReplayDevice::compare(const Proposal& proposal)
{
    const double began = m_speed.clock();
    Measurement trial{.size = proposal.comparedSizes.front(), .outcome = batchpeak::trial::Outcome::Ok};
    m_speed.restUntil(began + m_truth.setupSeconds);
    // Half of the variance between trials belongs to a size for the whole comparison, and half to each of its
    // visits.
    constexpr double half = std::numbers::sqrt2 / 2.0;
    const double noise = half * std::hypot(m_truth.runNoise, m_truth.restlessness.trialNoise);
    std::vector<double> typical;
    for (const std::int64_t size : proposal.comparedSizes) {
        // Each size uses the deviation of a different recorded visit.
        typical.push_back(m_truth.seconds(size) *
                          std::exp(noise * m_random.normal() + half * recordedNoise(typical.size())));
        trial.compared.push_back({.microBatchSize = size,
                                  .peakReservedBytes = static_cast<std::int64_t>(m_truth.peakBytes(size))});
        m_speed.work(comparedWarmupSteps * typical.back());
    }
    double totalTaken = 0.0;
    double sum = 0.0;
    for (int visit = 0; visit < proposal.visits; ++visit) {
        for (std::size_t i = 0; i < typical.size(); ++i) {
            const std::size_t index = visit % 2 == 0 ? i : typical.size() - 1 - i;
            const double seconds =
                typical[index] * std::exp(noise * m_random.normal() + half * recordedNoise() + driftNow());
            beginVisit();
            m_speed.work(seconds);
            batchpeak::trial::Visit& visits = trial.compared[index].visits.emplace_back();
            visits.clockSeconds = m_speed.clock();
            const double taken = m_speed.takenSeconds();
            for (int step = 0; step < proposal.stepsPerVisit; ++step)
                visits.stepSeconds.push_back(stepSeconds(seconds));
            visits.seconds = m_speed.clock() - visits.clockSeconds;
            const double takenNow = m_speed.takenSeconds() - taken;
            totalTaken += takenNow;
            sum += visits.seconds;
            if (m_truth.restlessness.contentionShare > 0.0)
                visits.contention = takenNow / visits.seconds;
        }
    }
    if (m_truth.restlessness.contentionShare > 0.0)
        trial.contention = totalTaken / sum;
    trial.secondsPerStep = typical.front();
    trial.optimizerSeconds = m_truth.optimizerSeconds;
    trial.peakReservedBytes = trial.compared.front().peakReservedBytes;
    trial.clockSeconds = m_speed.clock();
    trial.wallSeconds = trial.clockSeconds - began;
    return trial;
}

Measurement ReplayDevice::run(const Proposal& proposal)
{
    if (!proposal.comparedSizes.empty())
        return compare(proposal);
    Measurement trial{.size = proposal.size};
    const double calm = m_truth.seconds(proposal.size);
    if (!fits(proposal.size)) {
        trial.outcome = batchpeak::trial::Outcome::OutOfMemory;
        trial.peakReservedBytes = static_cast<std::int64_t>(m_truth.limitBytes);
        trial.wallSeconds = failureSeconds + m_truth.setupSeconds + 0.5 * calm;
        m_speed.restUntil(m_speed.clock() + trial.wallSeconds);
    } else {
        trial.outcome = batchpeak::trial::Outcome::Ok;
        trial.peakReservedBytes = static_cast<std::int64_t>(m_truth.peakBytes(proposal.size));
        trial.peakAllocatedBytes = trial.peakReservedBytes;
        trial.optimizerSeconds = m_truth.optimizerSeconds;
        const Restlessness& restlessness = m_truth.restlessness;
        double typical = calm * std::exp(m_truth.runNoise * m_random.normal() + driftNow());
        if (restlessness.trialNoise > 0.0)
            typical *= 1.0 + restlessness.trialNoise * laplace(m_random);
        if (restlessness.seenShare > 0.0 && m_random.uniform() < restlessness.seenShare) {
            trial.disturbed = true;
            typical *= 1.0 + restlessness.seenSlowdown * m_random.uniform();
        }
        m_speed.restUntil(m_speed.clock() + m_truth.setupSeconds);
        typical *= std::exp(recordedNoise());
        beginVisit();
        const double warmup = m_speed.work(warmupSteps(typical) * typical);
        const double taken = m_speed.takenSeconds();
        double sum = 0.0;
        for (int step = 0; step < proposal.maxSteps; ++step) {
            if (step >= proposal.minSteps && sum >= proposal.minSeconds)
                break;
            const double seconds = stepSeconds(typical);
            trial.stepSeconds.push_back(seconds);
            sum += seconds;
            if (proposal.abandonAboveSeconds > 0.0 && step + 1 == stepsUntilAbandoned &&
                std::ranges::min(trial.stepSeconds) > proposal.abandonAboveSeconds) {
                trial.abandoned = true;
                break;
            }
        }
        if (restlessness.contentionShare > 0.0) {
            trial.contention = (m_speed.takenSeconds() - taken) / sum;
            trial.disturbed = trial.contention > disturbedFrom;
        }
        std::vector<double> sorted = trial.stepSeconds;
        std::ranges::sort(sorted);
        const std::size_t dropped = std::max<std::size_t>(sorted.size() / 5, sorted.size() >= 3 ? 1 : 0);
        double middle = 0.0;
        for (std::size_t i = dropped; i < sorted.size() - dropped; ++i)
            middle += sorted[i];
        trial.secondsPerStep = middle / static_cast<double>(sorted.size() - 2 * dropped);
        trial.thrashes = m_truth.thrashesFrom > 0 && proposal.size >= m_truth.thrashesFrom &&
                         m_random.uniform() < m_truth.thrashSeen;
        trial.wallSeconds = m_truth.setupSeconds + warmup + sum;
    }
    trial.clockSeconds = m_speed.clock();
    return trial;
}

double ReplayDevice::speed(std::int64_t size) const
{
    return static_cast<double>(size) / m_truth.seconds(size);
}

double ReplayDevice::bestSpeed(const std::vector<std::int64_t>& candidates) const
{
    double best = 0.0;
    const auto consider = [&](std::int64_t size) {
        if (size <= m_largestFit)
            best = std::max(best, speed(size));
    };
    if (!candidates.empty()) {
        std::ranges::for_each(candidates, consider);
        return best;
    }
    for (std::int64_t size = 1; size <= m_largestFit; ++size)
        consider(size);
    return best;
}

double ReplayDevice::meanSlowdown() const
{
    // These are the means of the draws above: deviations whose logarithm is normally distributed, and
    // outliers that take 1.2 to 2.2 times as long.
    const double variance =
        std::pow(m_truth.stepNoise, 2.0) + std::pow(m_truth.runNoise, 2.0) + std::pow(m_truth.drift, 2.0);
    return longRunSlowdown(m_truth.restlessness) * std::exp(0.5 * variance) *
           (1.0 + 0.7 * m_truth.outlierShare);
}

double ReplayDevice::trialSeconds(std::int64_t size) const
{
    const double seconds = m_truth.seconds(size);
    if (!fits(size))
        return failureSeconds + m_truth.setupSeconds + 0.5 * seconds;
    return m_truth.setupSeconds + (warmupSteps(seconds) + defaultSteps(seconds)) * seconds;
}

double ReplayDevice::rampSeconds() const
{
    double sum = 0.0;
    for (std::int64_t size = 1; size <= m_largestFit; size *= 2)
        sum += trialSeconds(size);
    return sum;
}

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_world.h"

#include "device_families.h"
#include "search/random_source.h"
#include "search/throughput.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

using namespace batchpeak::search;

namespace {

/// Per-device batches that people use: powers of two, round numbers divided by 2, 4 and 8 devices, and
/// numbers with many divisors.
constexpr std::array<std::int64_t, 30> typicalBatches{32,  48,  60,  64,  96,  100, 120,  125,  128,  144,
                                                      180, 192, 240, 250, 256, 288, 320,  360,  384,  480,
                                                      500, 512, 672, 720, 768, 960, 1000, 1024, 1536, 2048};

/// Seed steps, far from the seeds of other draws, so that devices of one world differ from those of the next.
constexpr std::uint64_t deviceSeedStep = 15485863;
constexpr std::uint64_t batchSeedStep = 32452843;
constexpr int maxDraws = 4;
constexpr std::uint64_t descriptionSeedStep = 49979687;
/// Relative standard deviation of the described bytes per sample.
constexpr double descriptionDeviation = 0.2;

MemoryPrior descriptionOf(const ReplayDevice& device, std::uint64_t seed)
{
    RandomSource random(seed * descriptionSeedStep);
    const ReplayDevice::Truth& truth = device.truth();
    const auto largest = std::max<std::int64_t>(device.largestFit(), 1);
    const double perSample = (truth.peakBytes(largest) - truth.baselineBytes) / static_cast<double>(largest);
    return {.constantBytes = truth.baselineBytes,
            .bytesPerSample = perSample * std::exp(descriptionDeviation * random.normal()),
            .deviation = descriptionDeviation};
}

/// Returns a batch that mostly does not fit as a whole, since otherwise there is little to search.
std::int64_t typicalBatch(std::uint64_t seed, std::int64_t largestFit)
{
    RandomSource random(seed * batchSeedStep);
    std::int64_t batch = 0;
    for (int draw = 0; draw < maxDraws && batch <= largestFit; ++draw)
        batch = typicalBatches.at(static_cast<std::size_t>(random.uniform() * double{typicalBatches.size()}));
    return batch;
}

std::vector<std::int64_t> divisorsOf(std::int64_t batch)
{
    std::vector<std::int64_t> divisors(static_cast<std::size_t>(batch));
    std::iota(divisors.begin(), divisors.end(), 1);
    std::erase_if(divisors, [batch](std::int64_t size) { return batch % size != 0; });
    return divisors;
}

} // namespace

SearchWorld::SearchWorld(const SearchTask& task)
{
    ReplayDevice::Truth truth = deviceOf(task.family, task.seed, task.world);
    const std::int64_t batch = typicalBatch(task.seed, ReplayDevice(truth, task.seed).largestFit());
    if (task.divisorsOnly || task.objective == Objective::Effective)
        truth.maximum = std::min(truth.maximum, batch);
    for (int device = 0; device < task.devices; ++device)
        m_devices.emplace_back(truth, task.seed + deviceSeedStep * static_cast<std::uint64_t>(device));

    m_space = m_devices.front().space();
    m_space.perDeviceBatch = batch;
    if (task.divisorsOnly)
        m_space.candidates = divisorsOf(batch);
    m_space.objective = task.objective;
    m_space.tolerance = task.tolerance;
    m_space.devices = task.devices;
    m_space.targetConfidence = task.targetConfidence;
    if (task.isDescribed)
        m_space.memoryPrior = descriptionOf(m_devices.front(), task.seed);

    double bestSpeed = 0.0;
    for (const std::int64_t size : answers()) {
        if (speed(size) > bestSpeed) {
            bestSpeed = speed(size);
            m_bestSize = size;
        }
    }
}

double SearchWorld::speed(std::int64_t size) const
{
    return Throughput(m_space, truth().optimizerSeconds).samplesPerSecond(size, truth().seconds);
}

double SearchWorld::longRunSpeed(std::int64_t size) const
{
    return speed(size) / m_devices.front().meanSlowdown();
}

std::optional<TruthVerdict> SearchWorld::verdict() const
{
    const std::shared_ptr<const SweepTruth> possible = truth().possible;
    if (!possible)
        return std::nullopt;
    const Throughput throughput(m_space, truth().optimizerSeconds);
    return TruthVerdict(possible->draws(), answers(), m_space.tolerance,
                        [possible, throughput](int draw, std::int64_t size) {
                            return throughput.samplesPerSecond(
                                size, [&](std::int64_t m) { return possible->seconds(draw, m); });
                        });
}

double SearchWorld::exhaustiveSeconds() const
{
    double seconds = 0.0;
    for (const std::int64_t size : answers())
        seconds += m_devices.front().trialSeconds(size);
    return seconds;
}

std::vector<std::int64_t> SearchWorld::answers() const
{
    std::vector<std::int64_t> sizes = m_space.candidates;
    if (sizes.empty()) {
        sizes.resize(static_cast<std::size_t>(largestFit()));
        std::iota(sizes.begin(), sizes.end(), 1);
    }
    std::erase_if(sizes, [this](std::int64_t size) { return size > largestFit(); });
    return sizes;
}

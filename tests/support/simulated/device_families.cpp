// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"

#include "random_draws.h"
#include "recorded_sweep.h"
#include "sweep_collection.h"
#include "sweep_truth.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <utility>

using batchpeak::search::RandomSource;

namespace {

using Truth = ReplayDevice::Truth;

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double segmentBytes = 2.0 * mebibyte;

/// Returns the FNV-1a hash (Fowler, Noll, Vo), which is the same with every library, unlike std::hash.
std::uint64_t fingerprint(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    return hash;
}

/// Matrix product of a step, which takes whole waves of tiles over the multiprocessors.
struct Product
{
    double rowsPerSample = 1.0;
    double tile = 128.0;
    double columns = 8.0;
    double secondsPerWave = 1e-4;
};

/// Returns the time of a step that consists of an affine part and matrix products. A wave of a product holds
/// between \p shortestWave and \p longestWave samples.
std::function<double(std::int64_t)> tiledCurve(RandomSource& random, double shortestWave, double longestWave,
                                               double perSample, double overhead, double share)
{
    const int count = 3 + static_cast<int>(random.uniform() * 6.0);
    const double processors = std::round(uniform(random, 20.0, 144.0));
    auto products = std::make_shared<std::vector<Product>>();
    for (int i = 0; i < count; ++i) {
        const double wave = logUniform(random, shortestWave, longestWave);
        const double tiles[] = {64.0, 128.0, 256.0};
        Product product{.tile = tiles[static_cast<int>(random.uniform() * 3.0)],
                        .columns = std::max(1.0, std::round(uniform(random, 2.0, 48.0)))};
        product.rowsPerSample = processors * product.tile / product.columns / wave;
        product.secondsPerWave = share * perSample * wave * uniform(random, 0.3, 1.7) / count;
        products->push_back(product);
    }
    return [=](std::int64_t size) {
        const auto m = static_cast<double>(size);
        double seconds = overhead + (1.0 - share) * perSample * m;
        for (const Product& product : *products) {
            const double tiles = std::ceil(m * product.rowsPerSample / product.tile) * product.columns;
            seconds += product.secondsPerWave * std::ceil(tiles / processors - 1e-9);
        }
        return seconds;
    };
}

/// Adds peak memory that is affine in the size and rounded up to segments. On some devices, a workspace is
/// added or the slope changes from some size on.
void addMemory(Truth& truth, RandomSource& random, double largest)
{
    const double limit = logUniform(random, 6.0, 80.0) * gibibyte;
    const double base = limit * uniform(random, 0.03, 0.5);
    const double stepAt = logUniform(random, 2.0, std::max(largest, 3.0));
    const double step = random.uniform() < 0.35 ? limit * uniform(random, 0.005, 0.05) : 0.0;
    const double kinkAt = logUniform(random, 2.0, std::max(largest, 3.0));
    const double kink = random.uniform() < 0.15 ? uniform(random, -0.15, 0.15) : 0.0;
    const double afterKink = std::max(largest + 0.5 - kinkAt, 0.0) * kink;
    const double atLargest = limit - base - (stepAt <= largest ? step : 0.0);
    const double slope = std::max(atLargest, 0.1 * limit) / (largest + 0.5 + afterKink);
    truth.baselineBytes = base;
    truth.limitBytes = limit;
    truth.peakBytes = [=](std::int64_t size) {
        const auto m = static_cast<double>(size);
        double bytes = base + slope * (m + kink * std::max(m - kinkAt, 0.0));
        if (m >= stepAt)
            bytes += step;
        return std::ceil(bytes / segmentBytes) * segmentBytes;
    };
}

void addNoise(Truth& truth, RandomSource& random)
{
    truth.stepNoise = logUniform(random, 0.002, 0.03);
    truth.runNoise = logUniform(random, 0.0008, 0.006);
    truth.drift = random.uniform() < 0.3 ? logUniform(random, 0.002, 0.02) : 0.0005;
    truth.outlierShare = random.uniform() < 0.3 ? uniform(random, 0.01, 0.08) : 0.0;
    truth.setupSeconds = logUniform(random, 0.2, 2.5);
}

/// Adds memory that grows with a power of the size and in several steps.
void addPowerLawMemory(Truth& truth, RandomSource& random, double largest)
{
    const double limit = logUniform(random, 6.0, 80.0) * gibibyte;
    const double base = limit * uniform(random, 0.03, 0.4);
    const double power = uniform(random, 0.94, 1.12);
    const double stepSize = limit * uniform(random, 0.0, 0.03);
    const double firstStep = logUniform(random, 2.0, std::max(largest, 3.0));
    const double ratio = uniform(random, 1.7, 4.0);
    const auto stepsUpTo = [=](double m) {
        double bytes = 0.0;
        for (double at = firstStep; at <= m && bytes < 2.5 * stepSize; at *= ratio)
            bytes += stepSize;
        return bytes;
    };
    const double slope = (limit - base - stepsUpTo(largest)) / std::pow(largest + 0.5, power);
    truth.baselineBytes = base;
    truth.limitBytes = limit;
    truth.peakBytes = [=](std::int64_t size) {
        const auto m = static_cast<double>(size);
        return std::ceil((base + slope * std::pow(m, power) + stepsUpTo(m)) / segmentBytes) * segmentBytes;
    };
}

/// Adds memory whose bytes above the baseline are proportional to \p shape, a function that grows with the
/// size.
void addMemoryOfShape(Truth& truth, RandomSource& random, double largest,
                      const std::function<double(double)>& shape)
{
    const double limit = logUniform(random, 6.0, 80.0) * gibibyte;
    const double base = limit * uniform(random, 0.03, 0.4);
    const double scale = (limit - base) / shape(largest + 0.5);
    truth.baselineBytes = base;
    truth.limitBytes = limit;
    truth.peakBytes = [=](std::int64_t size) {
        const double bytes = base + scale * shape(static_cast<double>(size));
        return std::ceil(bytes / segmentBytes) * segmentBytes;
    };
}

/// Returns the memory of a loss that compares all pairs of samples (CLIP, arXiv 2103.00020): a matrix of size
/// x size in addition to the memory of each sample.
std::function<double(double)> pairwiseMemory(RandomSource& random, double largest)
{
    const double share = uniform(random, 0.05, 0.6);
    return [=](double size) { return size * (1.0 + share / (1.0 - share) * size / largest); };
}

/// Returns the memory of a step that peaks at one moment up to some size, and beyond it at another moment,
/// whose memory grows faster.
std::function<double(double)> memoryOfTwoMoments(RandomSource& random, double largest)
{
    const double changesAt = logUniform(random, 2.0, std::max(largest, 3.0));
    const double earlierSlope = uniform(random, 0.0, 0.7);
    const double constant = uniform(random, 0.0, 0.3) * largest;
    return
        [=](double size) { return constant + std::max(size, changesAt + earlierSlope * (size - changesAt)); };
}

/// Returns the memory of an allocator with fragmentation: gaps between tensors in its segments are too small
/// for any tensor, and they grow with the number of tensors.
std::function<double(double)> fragmentedMemory(RandomSource& random, double largest)
{
    const double share = uniform(random, 0.05, 0.4);
    return [=](double size) { return size * (1.0 + share * std::log(size) / std::log(largest)); };
}

/// Returns the memory of an allocator that rounds each tensor up to a quarter of a power of two
/// (roundup_power2_divisions:4 of PyTorch's caching allocator).
std::function<double(double)> roundedUpMemory(RandomSource& random)
{
    auto tensors = std::make_shared<std::vector<double>>();
    for (int i = 0; i < 5; ++i)
        tensors->push_back(uniform(random, 1.0, 4.0));
    return [=](double size) {
        double elements = 0.0;
        for (const double perSample : *tensors) {
            const double quarter = std::exp2(std::floor(std::log2(perSample * size)) - 2.0);
            elements += quarter * std::ceil(perSample * size / quarter);
        }
        return elements;
    };
}

/// Factor that keeps the seeds of these draws far from those of other draws.
constexpr std::uint64_t possibleSeedStep = 67867967;

/// Returns the device that a sweep was recorded on, with a random curve among those that the sweep leaves
/// possible.
Truth possibleDevice(const std::string& family, std::uint64_t seed)
{
    Truth truth = recordedDevice(*SweepCollection::sweep(family));
    truth.possible = SweepCollection::truth(family);
    RandomSource random(seed * possibleSeedStep);
    const int draw = static_cast<int>(random.uniform() * truth.possible->draws());
    truth.seconds = [possible = truth.possible, draw](std::int64_t size) {
        return possible->seconds(draw, size);
    };
    return truth;
}

} // namespace

std::vector<std::string> calibrationFamilies()
{
    return {"smooth",    "fine saw", "middle saw", "cliffs", "interior peak", "thrash",
            "alignment", "plateau",  "noisy",      "rising", "special"};
}

std::vector<std::string> heldOutFamilies()
{
    return {"clocked", "ripples", "jittered tiles"};
}

std::vector<std::string> curvedMemoryFamilies()
{
    return {"pairwise", "two moments", "fragmented", "rounded up"};
}

std::vector<std::string> equalSpeedFamilies()
{
    return {"equal"};
}

std::vector<std::string> levelFamilies()
{
    return {"level"};
}

Truth simulatedDevice(const std::string& family, std::uint64_t seed)
{
    // Families must not share the random numbers of one seed.
    RandomSource random(seed * 1000003 + fingerprint(family) % 999983);
    const bool isLevel = family == "level";
    const double largest =
        std::floor(isLevel ? logUniform(random, 2000.0, 10000.0) : logUniform(random, 8.0, 6000.0));
    const double perSample =
        isLevel ? logUniform(random, 6e-4, 6e-3) : logUniform(random, 3e-5, 3e-2) * std::sqrt(60.0 / largest);
    const double halfSpeed = logUniform(random, 0.3, std::max(0.6, largest / 6.0));
    const double overhead = perSample * halfSpeed;
    Truth truth{.family = family};
    const auto affine = [=](std::int64_t size) { return overhead + perSample * static_cast<double>(size); };
    truth.seconds = affine;
    addMemory(truth, random, largest);
    addNoise(truth, random);
    // The optimizer time has its own random source, so that the curves of a seed do not change.
    RandomSource optimizer(seed * 1000033 + fingerprint(family) % 999983);
    truth.optimizerSeconds = perSample * logUniform(optimizer, 0.1, 3.0);

    if (family == "smooth") {
        const double bend = uniform(random, 0.0, 0.5);
        truth.seconds = [=](std::int64_t size) {
            return affine(size) + bend * perSample * std::sqrt(static_cast<double>(size) * halfSpeed);
        };
    } else if (family == "fine saw") {
        truth.seconds = tiledCurve(random, 1.0, std::max(2.0, largest / 12.0), perSample, overhead,
                                   uniform(random, 0.5, 0.95));
    } else if (family == "middle saw" || family == "rising") {
        truth.seconds =
            tiledCurve(random, std::max(2.0, largest / 12.0), std::max(3.0, largest / 2.0), perSample,
                       family == "rising" ? perSample * largest * uniform(random, 0.3, 2.0) : overhead,
                       uniform(random, 0.4, 0.9));
    } else if (family == "cliffs") {
        const double first = logUniform(random, 2.0, std::max(largest, 3.0));
        const double second = logUniform(random, 2.0, std::max(largest, 3.0));
        const double up = uniform(random, 0.08, 0.6);
        const double down = uniform(random, -0.2, 0.3);
        truth.seconds = [=](std::int64_t size) {
            const auto m = static_cast<double>(size);
            return affine(size) * (1.0 + (m >= first ? up : 0.0) + (m >= second ? down : 0.0));
        };
    } else if (family == "interior peak") {
        const double peak = logUniform(random, 2.0, std::max(largest, 3.0));
        const double decline = uniform(random, 0.03, 0.3);
        truth.seconds = [=](std::int64_t size) {
            return affine(size) *
                   (1.0 + decline * std::max(0.0, std::log2(static_cast<double>(size) / peak)));
        };
    } else if (family == "thrash") {
        const double from = std::max(2.0, largest * uniform(random, 0.8, 0.98));
        const double worse = uniform(random, 1.3, 3.0);
        const auto tiled = tiledCurve(random, 1.0, std::max(3.0, largest / 3.0), perSample, overhead, 0.4);
        truth.thrashesFrom = static_cast<std::int64_t>(std::ceil(from));
        truth.seconds = [=](std::int64_t size) {
            return tiled(size) * (static_cast<double>(size) >= from ? worse : 1.0);
        };
    } else if (family == "alignment") {
        const std::int64_t tiles[] = {4, 8, 8, 16, 32, 64};
        const std::int64_t tile = tiles[static_cast<int>(random.uniform() * 6.0)];
        const double off = uniform(random, 0.03, 0.3);
        truth.seconds = [=](std::int64_t size) {
            return affine(size) + (size % tile == 0 ? 0.0 : off * perSample * static_cast<double>(size));
        };
    } else if (family == "plateau") {
        const double ripple = uniform(random, 0.0, 0.004);
        truth.seconds = [=](std::int64_t size) {
            const auto m = static_cast<double>(size);
            const double flat = std::max(perSample * m, perSample * std::min(halfSpeed, largest / 3.0));
            return flat * (1.0 + ripple * std::sin(3.0 * std::log(m)));
        };
    } else if (family == "noisy") {
        truth.seconds = tiledCurve(random, 1.0, std::max(3.0, largest / 2.0), perSample, overhead,
                                   uniform(random, 0.2, 0.8));
        truth.stepNoise = uniform(random, 0.03, 0.08);
        truth.runNoise = uniform(random, 0.006, 0.015);
        truth.drift = uniform(random, 0.0, 0.05);
    } else if (family == "special") {
        // At least three multiples of a larger unit fit: a search could find a rarer one only by luck.
        std::vector<std::int64_t> units{4};
        for (const std::int64_t unit : {6, 10, 12, 14, 20, 24, 28, 40, 48, 56, 80, 96, 112, 120}) {
            if (3.0 * static_cast<double>(unit) <= largest)
                units.push_back(unit);
        }
        const std::int64_t unit =
            units[static_cast<std::size_t>(random.uniform() * static_cast<double>(units.size()))];
        const double gain = uniform(random, 0.03, 0.15);
        truth.seconds = [=](std::int64_t size) {
            return affine(size) * (size % unit == 0 ? 1.0 - gain : 1.0);
        };
    } else if (family == "clocked") {
        // Power-limited phases: each size range has its own rate.
        auto edges = std::make_shared<std::vector<std::pair<double, double>>>();
        for (int i = 0; i < 4; ++i)
            edges->emplace_back(logUniform(random, 2.0, std::max(largest, 3.0)),
                                uniform(random, -0.08, 0.15));
        truth.seconds = [=](std::int64_t size) {
            double seconds = affine(size);
            for (const auto& [at, change] : *edges)
                seconds += std::max(0.0, static_cast<double>(size) - at) * change * perSample;
            return std::max(seconds, 0.4 * perSample * static_cast<double>(size));
        };
        addPowerLawMemory(truth, random, largest);
    } else if (family == "ripples") {
        const double period = uniform(random, 0.25, 1.1);
        const double amplitude = uniform(random, 0.01, 0.06);
        const double phase = uniform(random, 0.0, 2.0 * std::numbers::pi);
        truth.seconds = [=](std::int64_t size) {
            const double angle =
                2.0 * std::numbers::pi * std::log(static_cast<double>(size)) / period + phase;
            return affine(size) * (1.0 + amplitude * std::sin(angle));
        };
        addPowerLawMemory(truth, random, largest);
    } else if (family == "jittered tiles") {
        const double first = logUniform(random, 1.5, std::max(2.0, largest / 3.0));
        const double second = first * std::numbers::phi;
        const double share = uniform(random, 0.15, 0.4);
        truth.seconds = [=](std::int64_t size) {
            const auto m = static_cast<double>(size);
            return overhead + perSample * ((1.0 - 2.0 * share) * m + share * first * std::ceil(m / first) +
                                           share * second * std::ceil(m / second));
        };
        truth.stepNoise = uniform(random, 0.01, 0.05);
        truth.outlierShare = uniform(random, 0.0, 0.1);
        addPowerLawMemory(truth, random, largest);
    } else if (family == "pairwise") {
        addMemoryOfShape(truth, random, largest, pairwiseMemory(random, largest));
    } else if (family == "two moments") {
        addMemoryOfShape(truth, random, largest, memoryOfTwoMoments(random, largest));
    } else if (family == "fragmented") {
        addMemoryOfShape(truth, random, largest, fragmentedMemory(random, largest));
    } else if (family == "rounded up") {
        addMemoryOfShape(truth, random, largest, roundedUpMemory(random));
    } else if (family == "equal") {
        const double from = std::ceil(logUniform(random, 2.0, std::max(3.0, largest / 4.0)));
        const double steepness = uniform(random, 0.2, 0.9);
        truth.seconds = [=](std::int64_t size) {
            const auto m = static_cast<double>(size);
            return perSample * m * std::max(1.0, std::pow(from / m, steepness));
        };
    } else if (isLevel) {
        const double from = logUniform(random, 2.0, 250.0);
        const double steepness = uniform(random, 0.2, 0.9);
        const double fall = random.uniform() < 0.5 ? 0.0 : uniform(random, 0.0, 0.05);
        truth.seconds = [=](std::int64_t size) {
            const auto m = static_cast<double>(size);
            return perSample * m *
                   (m < from ? std::pow(from / m, steepness) : 1.0 + fall * std::log2(m / from));
        };
    } else {
        throw std::invalid_argument("There is no family of simulated devices called " + family + ".");
    }
    return truth;
}

std::vector<DeviceGroup> deviceGroups()
{
    return {{.title = "calibration", .families = calibrationFamilies()},
            {.title = "held out", .families = heldOutFamilies()},
            {.title = "curved memory", .families = curvedMemoryFamilies()},
            {.title = "all equal", .families = equalSpeedFamilies()},
            {.title = "level", .families = levelFamilies()},
            {.title = "recorded", .families = SweepCollection::names()}};
}

ReplayDevice::Truth deviceOf(const std::string& family, std::uint64_t seed, const std::string& world)
{
    const bool isRecorded = SweepCollection::has(family);
    Truth truth = isRecorded ? possibleDevice(family, seed) : simulatedDevice(family, seed);
    truth.family = family;
    truth.restlessness = restlessnessOf(world, seed);
    if (truth.restlessness.residuals) {
        if (isRecorded)
            truth.restlessness.residuals = SweepCollection::residuals(family);
        truth.stepNoise = truth.runNoise = truth.drift = truth.outlierShare = 0.0;
    }
    if (truth.restlessness.roughness > 0.0) {
        truth.seconds = [=, smooth = truth.seconds, restlessness = truth.restlessness](std::int64_t size) {
            return smooth(size) * std::exp(roughnessAt(restlessness, seed, size));
        };
    }
    return truth;
}

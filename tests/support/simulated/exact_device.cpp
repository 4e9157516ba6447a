// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"

using namespace batchpeak::search;
using batchpeak::trial::Outcome;

namespace exact {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t baselineBytes = 1000 * mebibyte;
constexpr std::int64_t bytesPerSample = 50 * mebibyte;

} // namespace

SearchSpace spaceFor(std::int64_t largestFit)
{
    return {.maximum = 65535,
            .memoryLimitBytes = baselineBytes + largestFit * bytesPerSample,
            .baselineBytes = baselineBytes,
            .comparesSizes = false};
}

Measurement trial(std::int64_t size, double overhead)
{
    const double seconds = 1e-3 * (overhead + static_cast<double>(size));
    return {.size = size,
            .outcome = Outcome::Ok,
            .secondsPerStep = seconds,
            .stepSeconds = std::vector<double>(5, seconds),
            .peakReservedBytes = baselineBytes + size * bytesPerSample,
            .wallSeconds = 1.0};
}

Measurement outOfMemory(std::int64_t size)
{
    return {.size = size, .outcome = Outcome::OutOfMemory, .wallSeconds = 1.0};
}

TrialOf deviceWith(const SearchSpace& space, double overhead)
{
    return [limit = space.memoryLimitBytes, overhead](const Proposal& proposal) {
        Measurement result = trial(proposal.size, overhead);
        return result.peakReservedBytes <= limit ? result : outOfMemory(proposal.size);
    };
}

Sizes searchWith(Strategy& strategy, const TrialOf& run)
{
    Sizes sizes;
    while (const auto proposal = strategy.next({})) {
        sizes.push_back(proposal->size);
        strategy.record(run(*proposal));
    }
    return sizes;
}

} // namespace exact

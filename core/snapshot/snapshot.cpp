// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot.h"

#include "model/enum_names.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

using VerificationOutcome = Verification::Outcome;

constexpr model::EnumNames<FinishStatus, 6> finishWords{{{FinishStatus::Confident, "confident"},
                                                         {FinishStatus::Exhausted, "exhausted"},
                                                         {FinishStatus::Budget, "budget"},
                                                         {FinishStatus::Cancelled, "cancelled"},
                                                         {FinishStatus::NothingFits, "nothing_fits"},
                                                         {FinishStatus::Failed, "failed"}}};
constexpr model::EnumNames<VerificationOutcome, 5> verificationWords{
    {{VerificationOutcome::Pending, "pending"},
     {VerificationOutcome::Confirmed, "confirmed"},
     {VerificationOutcome::Slower, "slower"},
     {VerificationOutcome::Failed, "failed"},
     {VerificationOutcome::NotRun, "not_run"}}};

// A change that is reversed within this time would flicker.
constexpr double unnoticedSeconds = 1.0;

/// Returns the minimum of the known values.
std::int64_t min(const std::vector<DeviceSnapshot>& devices, std::int64_t DeviceSnapshot::*bytes)
{
    std::int64_t min = 0;
    for (const DeviceSnapshot& device : devices) {
        if (device.*bytes > 0 && (min == 0 || device.*bytes < min))
            min = device.*bytes;
    }
    return min;
}

} // namespace

QString toText(FinishStatus status)
{
    return QString::fromUtf8(model::wordFor(finishWords, status));
}

QString toText(Verification::Outcome outcome)
{
    return QString::fromUtf8(model::wordFor(verificationWords, outcome));
}

bool Snapshot::isUnderWay() const
{
    return state != State::Idle && state != State::Finished && state != State::Failed;
}

bool Snapshot::runsTrials() const
{
    return std::ranges::any_of(trials, &trial::TrialRecord::isRunning);
}

bool Snapshot::isOnCpu() const
{
    return !devices.empty() && std::ranges::all_of(devices, [](const DeviceSnapshot& device) {
        return kindOfDevice(device.id) == QLatin1String("cpu");
    });
}

bool Snapshot::isChoosing() const
{
    const bool isLong = thinkingSeconds && *thinkingSeconds >= unnoticedSeconds;
    return isLong && (state == State::Exploring || state == State::Verifying);
}

std::vector<const trial::TrialRecord*> Snapshot::currentTrials() const
{
    std::vector<const trial::TrialRecord*> current;
    for (const trial::TrialRecord& trial : trials) {
        if (trial.isRunning())
            current.push_back(&trial);
    }
    if (current.empty() && thinkingSeconds && !isChoosing() && !trials.empty())
        current.push_back(&trials.back());
    return current;
}

const trial::TrialRecord* Snapshot::recommendedTrial() const
{
    const auto& recommendation = searchState.recommendation;
    const auto trial = std::find_if(trials.rbegin(), trials.rend(), [&](const trial::TrialRecord& trial) {
        return recommendation && trial.microBatchSize == recommendation->size && trial.ranWell();
    });
    return trial == trials.rend() ? nullptr : &*trial;
}

bool Snapshot::isWorthContinuing() const
{
    const bool wasCutShort = finish == FinishStatus::Budget || finish == FinishStatus::Cancelled;
    return canContinue && (wasCutShort || searchState.continuation);
}

bool Snapshot::offersCpu() const
{
    const bool onGpus = !devices.empty() && std::ranges::all_of(devices, [](const DeviceSnapshot& device) {
        return kindOfDevice(device.id) == QLatin1String("cuda");
    });
    return state == State::Failed && trials.empty() && (gpuIsUnusable || onGpus);
}

bool Snapshot::canBeTakenUp() const
{
    return finish == FinishStatus::Failed && numberInHistory > 0 &&
           std::ranges::any_of(trials, [](const trial::TrialRecord& trial) {
               return !trial.isRunning() && trial.outcome != trial::Outcome::Cancelled;
           });
}

bool Snapshot::recommendsSize() const
{
    return searchState.recommendation && finish != FinishStatus::NothingFits;
}

std::int64_t Snapshot::trainingSize() const
{
    const bool isForTraining =
        state == State::Finished && recommendsSize() && run->phase == model::Phase::Train;
    return isForTraining ? searchState.recommendation->size : 0;
}

bool Snapshot::isRecommendationSure() const
{
    const auto& recommendation = searchState.recommendation;
    return recommendation && recommendation->confidence >= leadingBelowPercent;
}

std::int64_t Snapshot::minLimitBytes() const
{
    return min(devices, &DeviceSnapshot::limitBytes);
}

std::int64_t Snapshot::minUsableBytes() const
{
    return min(devices, &DeviceSnapshot::usableBytes);
}

MemoryZones Snapshot::memoryZones() const
{
    // Zones are drawn next to the marks of the sizes that were tried, not through them.
    constexpr double justAbove = 1.03;
    constexpr double justBelow = 0.97;
    constexpr double justAboveHeadroom = 1.01;

    double largestThatRan = 0.0;
    double largestBelowHeadroom = 0.0;
    for (const trial::TrialRecord& trial : trials) {
        if (trial.outcome != trial::Outcome::Ok || !trial.samplesPerSecond)
            continue;
        const auto size = static_cast<double>(trial.microBatchSize);
        largestThatRan = std::max(largestThatRan, size);
        if (trial.ranWell())
            largestBelowHeadroom = std::max(largestBelowHeadroom, size);
    }
    const auto sizeAt = [this](std::int64_t bytes, double atLeast) {
        const auto& memory = searchState.memory;
        const auto limit = static_cast<double>(bytes);
        if (!memory || memory->bytesPerSample <= 0.0 || limit <= memory->constantBytes)
            return 0.0;
        return std::max({1.0, (limit - memory->constantBytes) / memory->bytesPerSample, atLeast});
    };

    MemoryZones zones{.headroomFrom = sizeAt(minUsableBytes(), largestBelowHeadroom * justAboveHeadroom),
                      .wall = sizeAt(minLimitBytes(), largestThatRan * justAbove)};
    for (const trial::TrialRecord& trial : trials) {
        const auto failed = static_cast<double>(trial.microBatchSize);
        if (trial.outcome != trial::Outcome::OutOfMemory || failed <= largestThatRan)
            continue;
        zones.wallSeen = true;
        const double edge = std::max(failed * justBelow, std::sqrt(failed * largestThatRan));
        zones.wall = zones.wall > 0.0 ? std::min(zones.wall, edge) : edge;
    }
    if (zones.wall > 0.0 && zones.headroomFrom >= zones.wall)
        zones.headroomFrom = 0.0;
    return zones;
}

} // namespace batchpeak::engine

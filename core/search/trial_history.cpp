// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_history.h"

#include "trial/step_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace batchpeak::search {

namespace {

bool isTime(double seconds)
{
    return std::isfinite(seconds) && seconds > 0.0;
}

bool isSound(const Measurement& measurement)
{
    if (measurement.size < 1 || measurement.peakReservedBytes < 0)
        return false;
    if (!measurement.ran())
        return true;
    return isTime(measurement.secondsPerStep) && std::ranges::all_of(measurement.stepSeconds, isTime) &&
           std::isfinite(measurement.optimizerSeconds) && measurement.optimizerSeconds >= 0.0;
}

void insertOnce(std::vector<std::int64_t>& ascending, std::int64_t size)
{
    const auto place = std::ranges::lower_bound(ascending, size);
    if (place == ascending.end() || *place != size)
        ascending.insert(place, size);
}

// Far more than clocks, heat and other programs change a device between two days, and more than the rounding
// of an allocator.
constexpr double farInTime = 1.5;
constexpr double farInMemory = 0.05;
constexpr double farInBytes = 64.0 * 1024 * 1024;

// A device that is never calm is not waited for: a size that is disturbed each time runs this many times.
constexpr std::ptrdiff_t enoughDisturbed = 3;

bool isFarInTime(const Measurement& one, const Measurement& other)
{
    if (one.disturbed || other.disturbed)
        return false;
    const double ratio = one.secondsPerStep / other.secondsPerStep;
    return ratio > farInTime || ratio < 1.0 / farInTime;
}

bool isFarInMemory(const Measurement& one, const Measurement& other)
{
    const auto bytes = static_cast<double>(one.peakReservedBytes);
    const auto others = static_cast<double>(other.peakReservedBytes);
    return std::abs(bytes - others) > std::max(farInBytes, farInMemory * others);
}

/// Returns the measurement that one size of a comparison amounts to. Its time is the typical one of its
/// visits' typical times, so that neither a disturbed step nor a disturbed visit decides.
Measurement rowOf(const Measurement& comparison, const trial::ComparedSize& compared)
{
    Measurement row = comparison;
    row.compared.clear();
    row.outcome = trial::Outcome::Ok;
    row.size = compared.microBatchSize;
    row.peakReservedBytes = compared.peakReservedBytes;
    row.visits = compared.visits;
    row.stepSeconds.clear();
    for (const trial::Visit& visit : compared.visits)
        row.stepSeconds.insert(row.stepSeconds.end(), visit.stepSeconds.begin(), visit.stepSeconds.end());
    row.secondsPerStep = *trial::typicalStepSeconds(trial::typicalStepSecondsOf(compared.visits));
    return row;
}

} // namespace

TrialHistory::TrialHistory(std::int64_t memoryLimitBytes) : m_memoryLimitBytes(memoryLimitBytes) {}

void TrialHistory::record(Measurement measurement, bool isUnlikely)
{
    if (!isSound(measurement))
        measurement.outcome = trial::Outcome::Failed;
    if (measurement.ran() && !measurement.isRecalled()) {
        const auto isRefuted = [&](const Measurement& recalled) {
            return recalled.isRecalled() && recalled.doesNotFit() && recalled.size <= measurement.size;
        };
        if (std::ranges::any_of(m_all, isRefuted))
            forget(isRefuted);
    }

    const bool ran = measurement.ran();
    if (ran && !measurement.thrashes && measurement.compared.empty())
        m_timed.push_back(measurement);
    // Sizes that were measured before another size failed remain valid.
    for (const trial::ComparedSize& compared : measurement.compared) {
        if (!compared.visits.empty())
            m_timed.push_back(rowOf(measurement, compared));
    }

    m_outOfMemoryTrials += measurement.doesNotFit() ? 1 : 0;
    const bool isBelieved = !isOdd(measurement, isUnlikely);
    if (ran && measurement.size == m_oddSize)
        m_oddSize = 0;
    if (!isBelieved)
        m_oddSize = measurement.size;
    if (measurement.isVerification && ran && !needsMore(measurement))
        insertOnce(m_verifiedSizes, measurement.size);
    if ((measurement.doesNotFit() && isBelieved) || (ran && needsMore(measurement)) ||
        (ran && isBarred(measurement.size)))
        fail(measurement.size);
    else if (ran && !hasFailed(measurement.size))
        insertOnce(m_goodSizes, measurement.size);
    if (measurement.isVerification && needsMore(measurement))
        barAbove(measurement.size);
    m_all.push_back(std::move(measurement));
    if (m_all.back().saysNothing() && isBelieved)
        noteBreakdown(m_all.back().size);
}

/// Whether the trial ran out of memory, used more than the limit, or thrashed.
bool TrialHistory::needsMore(const Measurement& measurement) const
{
    const bool aboveLimit = m_memoryLimitBytes > 0 && measurement.peakReservedBytes > m_memoryLimitBytes;
    return measurement.outcome == trial::Outcome::OutOfMemory ||
           (measurement.ran() && (measurement.thrashes || aboveLimit));
}

bool TrialHistory::isOdd(const Measurement& measurement, bool isUnlikely) const
{
    const bool mayBe = measurement.outcome == trial::Outcome::OutOfMemory || measurement.saysNothing();
    const bool isFirst = m_oddSize == 0 && largestGood() > 0 && measurement.size > largestGood();
    return mayBe && isUnlikely && !measurement.isVerification && measurement.compared.empty() &&
           (isFirst || (measurement.size == m_oddSize && !hasFailed(m_oddSize)));
}

void TrialHistory::noteBreakdown(std::int64_t size)
{
    const bool isAbove = largestGood() > 0 && size > largestGood();
    if (isAbove && isGivenUp(size))
        fail(size);
}

void TrialHistory::fail(std::int64_t size)
{
    insertOnce(m_failedSizes, size);
    std::erase(m_goodSizes, size);
    if (size > m_oddSize && m_oddSize > largestGood())
        insertOnce(m_failedSizes, m_oddSize);
}

void TrialHistory::barAbove(std::int64_t failure)
{
    if (m_smallestFreshFailure == 0 || failure < m_smallestFreshFailure)
        m_smallestFreshFailure = failure;
    std::erase_if(m_goodSizes, [this](std::int64_t size) {
        if (isBarred(size))
            insertOnce(m_failedSizes, size);
        return isBarred(size);
    });
}

bool TrialHistory::isBarred(std::int64_t size) const
{
    return m_smallestFreshFailure > 0 && size > m_smallestFreshFailure &&
           !std::ranges::binary_search(m_verifiedSizes, size);
}

bool TrialHistory::contradictsRecalled(const Measurement& measurement) const
{
    std::vector<Measurement> now;
    const bool isGivenUpWith = voidTrials(measurement.size) > 0 && !hasRunNow(measurement.size);
    if (measurement.ran() && measurement.compared.empty())
        now.push_back(measurement);
    for (const trial::ComparedSize& compared : measurement.compared) {
        if (!compared.visits.empty())
            now.push_back(rowOf(measurement, compared));
    }
    const auto contradicts = [&](const Measurement& recalled) {
        if (!recalled.isRecalled())
            return false;
        if (measurement.doesNotFit() && recalled.size >= measurement.size)
            return true;
        if (measurement.saysNothing() && recalled.size == measurement.size && isGivenUpWith)
            return true;
        return std::ranges::any_of(now, [&](const Measurement& row) {
            return row.size == recalled.size && (isFarInTime(row, recalled) || isFarInMemory(row, recalled));
        });
    };
    return std::ranges::any_of(m_timed, contradicts);
}

void TrialHistory::forgetRecalled()
{
    forget(&Measurement::isRecalled);
}

template<typename Which>
void TrialHistory::forget(Which isForgotten)
{
    TrialHistory kept(m_memoryLimitBytes);
    kept.m_oddSize = m_oddSize;
    for (Measurement& measurement : m_all) {
        const bool wasNotBelieved = !hasFailed(measurement.size);
        if (!std::invoke(isForgotten, measurement))
            kept.record(std::move(measurement), wasNotBelieved);
    }
    *this = std::move(kept);
}

bool TrialHistory::isGood(std::int64_t size) const
{
    return std::ranges::binary_search(m_goodSizes, size);
}

bool TrialHistory::hasFailed(std::int64_t size) const
{
    return std::ranges::binary_search(m_failedSizes, size);
}

int TrialHistory::timedTrials(std::int64_t size) const
{
    return static_cast<int>(std::ranges::count(m_timed, size, &Measurement::size));
}

int TrialHistory::voidTrials(std::int64_t size) const
{
    const bool isBelieved = hasFailed(size);
    return static_cast<int>(std::ranges::count_if(m_all, [&](const Measurement& m) {
        return m.size == size && (m.saysNothing() || (m.doesNotFit() && !isBelieved));
    }));
}

std::int64_t TrialHistory::oddSize() const
{
    return m_oddSize > largestGood() && !hasFailed(m_oddSize) ? m_oddSize : 0;
}

int TrialHistory::countedTrials() const
{
    return static_cast<int>(std::ranges::count_if(
        m_all, [](const Measurement& m) { return !m.isVerification && !m.isRecalled(); }));
}

int TrialHistory::recalledTrials() const
{
    return static_cast<int>(std::ranges::count(m_all, true, &Measurement::isRecalled));
}

bool TrialHistory::hasRunNow(std::int64_t size) const
{
    return std::ranges::any_of(
        m_timed, [size](const Measurement& m) { return !m.isRecalled() && (size == 0 || m.size == size); });
}

bool TrialHistory::isCheckedNow(std::int64_t size) const
{
    const auto isOfNow = [size](const Measurement& m) { return !m.isRecalled() && m.size == size; };
    return std::ranges::count_if(m_timed, isOfNow) >= enoughDisturbed ||
           std::ranges::any_of(m_timed, [&](const Measurement& m) { return isOfNow(m) && !m.disturbed; });
}

std::int64_t TrialHistory::largestGood() const
{
    return m_goodSizes.empty() ? 0 : m_goodSizes.back();
}

std::int64_t TrialHistory::smallestFailure() const
{
    const auto first = std::ranges::upper_bound(m_failedSizes, largestGood());
    return first == m_failedSizes.end() ? 0 : *first;
}

bool TrialHistory::isMemoryTheBound() const
{
    const std::int64_t failure = smallestFailure();
    return failure == 0 || std::ranges::any_of(m_all, [&](const Measurement& measurement) {
               return measurement.size == failure && needsMore(measurement);
           });
}

std::int64_t TrialHistory::largestRun() const
{
    std::int64_t largest = 0;
    for (const Measurement& measurement : m_all) {
        if (measurement.ran())
            largest = std::max(largest, measurement.size);
    }
    return largest;
}

} // namespace batchpeak::search

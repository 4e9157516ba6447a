// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_planner.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace batchpeak::engine {

namespace {

// Margins for a size that is slower than predicted, and for the start-up of a short trial.
constexpr double timeLimitPerPredicted = 3.0;
constexpr double timeLimitBeyondPredicted = 30.0;
// Limit before anything was measured: a size whose first step takes minutes is not recommended on any
// computer.
constexpr double timeLimitUnpredicted = 300.0;
// The times that a worker reports must not lead to a limit that is practically none.
constexpr double timeLimitAtMost = 3600.0;
// If neither worker nor user sets a limit, the memory must still be a number: one pebibyte.
constexpr std::int64_t unknownMemoryBytes = std::int64_t{1} << 50;

double timeLimitSeconds(const search::Proposal& proposal)
{
    if (!proposal.predictedWallSeconds)
        return timeLimitUnpredicted;
    return std::min(timeLimitPerPredicted * *proposal.predictedWallSeconds + timeLimitBeyondPredicted,
                    timeLimitAtMost);
}

/// Whether the measurement may be of the proposal. A comparison that was cut short may report none of its
/// sizes.
bool mayBeOf(const search::Measurement& measurement, const search::Proposal& proposal)
{
    if (!proposal.compares())
        return measurement.compared.empty() && measurement.size == proposal.size;
    return measurement.size == 0 ||
           std::ranges::find(proposal.comparedSizes, measurement.size) != proposal.comparedSizes.end();
}

} // namespace

TrialPlanner::TrialPlanner(std::unique_ptr<search::Strategy> strategy, int maxTrials, bool repeatsDisturbed,
                           std::int64_t processes)
    : m_strategy(std::move(strategy)),
      m_maxTrials(maxTrials),
      m_repeatsDisturbed(repeatsDisturbed),
      m_processes(static_cast<double>(processes))
{}

std::optional<search::Proposal> TrialPlanner::next(const QString& device)
{
    Origin origin = Origin::Asked;
    auto proposal = nextAsked(device);
    if (!proposal) {
        origin = Origin::Disturbed;
        proposal = std::exchange(m_repetitions[device].proposal, std::nullopt);
    }
    if (!proposal && !m_repeats.empty()) {
        origin = Origin::Lost;
        proposal = m_repeats.front();
        m_repeats.pop_front();
    }
    // The search is told of repeated trials only when they have ended.
    if (!proposal && (m_trials < m_maxTrials || !expectsMore())) {
        origin = Origin::Strategy;
        proposal = m_strategy->next(sizesUnderWay());
    }
    if (proposal && origin == Origin::Disturbed)
        proposal->purpose = trial::Purpose::Repetition;
    if (proposal && origin == Origin::Lost)
        proposal->purpose = trial::Purpose::Retry;
    if (proposal) {
        m_inFlight.push_back({.device = device, .proposal = *proposal, .origin = origin});
        ++m_trials;
    }
    return proposal;
}

std::optional<search::Proposal> TrialPlanner::nextAsked(const QString& device)
{
    std::optional<search::Proposal> proposal;
    while (!proposal && !m_asked.empty()) {
        proposal = m_strategy->asked(m_asked.front());
        m_asked.pop_front();
    }
    // The repetition can be dropped since the search was told of each disturbed trial.
    if (proposal)
        deviceLost(device);
    return proposal;
}

void TrialPlanner::tryNow(std::int64_t size)
{
    if (std::ranges::find(m_asked, size) == m_asked.end())
        m_asked.push_back(size);
}

void TrialPlanner::setExcluded(std::int64_t size, bool isExcluded)
{
    m_strategy->setExcluded(size, isExcluded);
    if (!isExcluded)
        return;
    std::erase(m_asked, size);
    const auto isOfSize = [size](const search::Proposal& proposal) {
        return !proposal.compares() && proposal.size == size;
    };
    std::erase_if(m_repeats, isOfSize);
    std::erase_if(m_lost, [size](const search::Measurement& lost) { return lost.size == size; });
    for (auto& [device, repetition] : m_repetitions) {
        if (repetition.proposal && isOfSize(*repetition.proposal))
            deviceLost(device);
    }
}

std::optional<TrialPlanner::Flight> TrialPlanner::withdraw(const QString& device)
{
    const auto place = std::ranges::find(m_inFlight, device, &Flight::device);
    if (place == m_inFlight.end())
        return std::nullopt;
    Flight flight = std::move(*place);
    m_inFlight.erase(place);
    --m_trials;
    return flight;
}

void TrialPlanner::trialSkipped(const QString& device)
{
    const std::optional<Flight> flight = withdraw(device);
    if (!flight)
        return;
    deviceLost(device);
    const search::Proposal& proposal = flight->proposal;
    std::erase_if(m_lost, [&](const search::Measurement& lost) { return lost.size == proposal.size; });
    m_strategy->skip(proposal.compares() ? proposal.comparedSizes : std::vector<std::int64_t>{proposal.size});
}

void TrialPlanner::extend(int moreTrials)
{
    m_maxTrials += moreTrials;
    m_strategy->setMaxTrials(m_maxTrials);
}

void TrialPlanner::giveBack(const QString& device)
{
    const std::optional<Flight> flight = withdraw(device);
    if (!flight)
        return;
    Repetition& repetition = m_repetitions[device];
    if (flight->origin == Origin::Asked)
        m_asked.push_front(flight->proposal.size);
    else if (flight->origin == Origin::Lost)
        m_repeats.push_front(flight->proposal);
    // A device that was lost meanwhile has nothing more to repeat.
    else if (flight->origin == Origin::Disturbed && repetition.repeater.repetition() > 0)
        repetition.proposal = flight->proposal;
}

void TrialPlanner::takeAsRun(const QString& device, const search::Measurement& measurement)
{
    auto flight = std::ranges::find(m_inFlight, device, &Flight::device);
    if (flight == m_inFlight.end()) {
        flight = m_inFlight.insert(flight, {.device = device});
        ++m_trials;
    } else if (mayBeOf(measurement, flight->proposal)) {
        return;
    }
    flight->proposal = {.size = measurement.size};
    for (const trial::ComparedSize& size : measurement.compared)
        flight->proposal.comparedSizes.push_back(size.microBatchSize);
}

std::vector<std::int64_t> TrialPlanner::sizesUnderWay() const
{
    std::vector<std::int64_t> sizes;
    for (const Flight& flight : m_inFlight)
        sizes.push_back(flight.proposal.size);
    for (const auto& [device, repetition] : m_repetitions) {
        if (repetition.proposal)
            sizes.push_back(repetition.proposal->size);
    }
    return sizes;
}

FollowUp TrialPlanner::trialEnded(const QString& device, const search::Measurement& measurement)
{
    const auto place = std::ranges::find(m_inFlight, device, &Flight::device);
    if (place == m_inFlight.end())
        return FollowUp::None;
    const search::Proposal proposal = place->proposal;
    m_inFlight.erase(place);
    if (proposal.compares()) {
        m_strategy->record(measurement);
        return FollowUp::None;
    }

    Repetition& repetition = m_repetitions[device];
    const bool wasPatient = !repetition.repeater.hasLostPatience();
    const bool isRepetition = repetition.repeater.repetition() > 0;
    const bool mayRepeat = m_repeatsDisturbed && m_trials < m_maxTrials;
    if (repetition.repeater.trialEnded(measurement, mayRepeat)) {
        m_strategy->record(measurement);
        repetition.proposal = proposal;
        return FollowUp::Repeated;
    }
    // If the repetition of a disturbed trial is lost, the readings before it stand.
    if (isRepetition && measurement.saysNothing())
        return FollowUp::None;
    const FollowUp followUp = take(measurement, proposal);
    return wasPatient && repetition.repeater.hasLostPatience() ? FollowUp::NoMoreRepetitions : followUp;
}

FollowUp TrialPlanner::take(const search::Measurement& measurement, const search::Proposal& proposal)
{
    const auto lost = std::ranges::find(m_lost, measurement.size, &search::Measurement::size);
    const bool mayRepeat = m_trials + std::ssize(m_repeats) < m_maxTrials;
    if (measurement.saysNothing() && lost == m_lost.end() && mayRepeat) {
        m_lost.push_back(measurement);
        m_repeats.push_back(proposal);
        return FollowUp::Repeated;
    }
    const bool isLostAgain = lost != m_lost.end() && measurement.saysNothing();
    if (lost != m_lost.end()) {
        m_strategy->record(*lost);
        m_lost.erase(lost);
    }
    m_strategy->record(measurement);
    return isLostAgain ? FollowUp::LeftOut : FollowUp::None;
}

void TrialPlanner::deviceLost(const QString& device)
{
    m_repetitions[device].proposal.reset();
    m_repetitions[device].repeater.giveUp();
}

void TrialPlanner::continueSearch(int moreTrials)
{
    // A trial that the end canceled will not report any more.
    m_inFlight.clear();
    m_asked.clear();
    for (const auto& [device, repetition] : m_repetitions)
        deviceLost(device);
    m_maxTrials = m_trials + moreTrials;
    m_strategy->continueSearch(m_maxTrials);
}

search::SearchState TrialPlanner::searchState() const
{
    using Status = search::SearchState::Status;
    search::SearchState state = m_strategy->searchState();
    if (state.recommendation)
        state.recommendation->samplesPerSecond *= m_processes;
    for (search::SizeEstimate& estimate : state.estimates)
        estimate.samplesPerSecond *= m_processes;
    for (search::CurvePoint& point : state.curve) {
        for (double* const speed : {&point.samplesPerSecond, &point.low, &point.high})
            *speed *= m_processes;
    }
    const bool waits = state.status == Status::Exhausted && expectsMore();
    if (waits || (awaitsAsked() && state.status != Status::NothingFits))
        state.status = Status::Searching;
    if (const auto next = nextTrial())
        state.next = next;
    return state;
}

/// Returns the trial that comes before anything that the strategy would try.
std::optional<search::NextTrial> TrialPlanner::nextTrial() const
{
    const auto planOf = [](std::int64_t size, trial::Purpose purpose) {
        return search::NextTrial{.sizes = {size}, .purpose = purpose};
    };
    if (!m_asked.empty())
        return planOf(m_asked.front(), trial::Purpose::Asked);
    for (const auto& [device, repetition] : m_repetitions) {
        if (repetition.proposal)
            return planOf(repetition.proposal->size, trial::Purpose::Repetition);
    }
    if (!m_repeats.empty())
        return planOf(m_repeats.front().size, trial::Purpose::Retry);
    return std::nullopt;
}

/// Whether a size that a person asked for is still to come, or its trial is running.
bool TrialPlanner::awaitsAsked() const
{
    return !m_asked.empty() || std::ranges::any_of(m_inFlight, [](const Flight& flight) {
        return flight.origin == Origin::Asked;
    });
}

bool TrialPlanner::expectsMore() const
{
    return !m_inFlight.empty() || !m_repeats.empty() || !m_asked.empty() ||
           std::ranges::any_of(m_repetitions, [](const auto& deviceAndRepetition) {
               return deviceAndRepetition.second.proposal.has_value();
           });
}

int TrialPlanner::repetition(const QString& device) const
{
    const auto place = m_repetitions.find(device);
    return place == m_repetitions.end() ? 0 : place->second.repeater.repetition();
}

bool TrialPlanner::repeatsOn(const QString& device) const
{
    const auto place = m_repetitions.find(device);
    return place == m_repetitions.end() || !place->second.repeater.hasLostPatience();
}

search::SearchSpace spaceOn(const std::vector<DeviceSnapshot>& devices, search::SearchSpace space)
{
    space.devices = static_cast<int>(devices.size());
    space.memoryLimitBytes = unknownMemoryBytes;
    for (const DeviceSnapshot& device : devices) {
        if (device.usableBytes > 0)
            space.memoryLimitBytes = std::min(space.memoryLimitBytes, device.usableBytes);
        space.baselineBytes = std::max(space.baselineBytes, device.baselineBytes);
    }
    return space;
}

trial::TrialRecord recordFor(const search::Proposal& proposal, std::int64_t number)
{
    trial::TrialRecord record{.number = static_cast<int>(number),
                              .purpose = proposal.purpose,
                              .against = proposal.against,
                              .predictedFit = proposal.predictedFit};
    if (!proposal.compares()) {
        record.microBatchSize = proposal.size;
        return record;
    }
    for (const std::int64_t size : proposal.comparedSizes)
        record.compared.push_back({.microBatchSize = size});
    record.visits = proposal.visits;
    return record;
}

trial::TrialRequest requestFor(const search::Proposal& proposal, std::int64_t id)
{
    return {.id = id,
            .microBatchSize = proposal.size,
            .minSteps = proposal.minSteps,
            .maxSteps = proposal.maxSteps,
            .minSeconds = proposal.minSeconds,
            .timeLimitSeconds = timeLimitSeconds(proposal),
            .abandonAboveSeconds = proposal.abandonAboveSeconds};
}

trial::CompareRequest comparisonFor(const search::Proposal& proposal, std::int64_t id)
{
    return {.id = id,
            .microBatchSizes = proposal.comparedSizes,
            .visits = proposal.visits,
            .steps = proposal.stepsPerVisit,
            .timeLimitSeconds = timeLimitSeconds(proposal)};
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_runner.h"

#include "baselines.h"
#include "search/random_source.h"
#include "search/strategies/searching_strategy.h"
#include "search/strategy.h"
#include "search_world.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

using namespace batchpeak::search;
namespace trial = batchpeak::trial;

namespace {

/// Relative difference up to which two speeds are treated as equal.
constexpr double equalSpeeds = 1e-3;

/// Seed steps, far from the seeds of other searches.
constexpr std::uint64_t seedsBetween = 1'000'003;
constexpr std::uint64_t seedsOfDay = 31'000'079;

/// Standard deviation of the logarithm of a day's slowdown.
constexpr double dayDeviation = 0.05;
constexpr double secondsOfDay = 24.0 * 3600.0;

/// Trial that has begun. Its result is known immediately, but recorded only at the time when the trial ends.
struct TrialInFlight
{
    Measurement measurement;
    double predictedFit = 1.0;
};

/// Returns the CPU time of this thread, since wall time would include other programs.
double processorMilliseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

std::unique_ptr<Strategy> makeAnyStrategy(const std::string& name, const SearchSpace& space)
{
    std::unique_ptr<Strategy> baseline = makeBaseline(name, space);
    return baseline ? std::move(baseline) : makeStrategy(name, space);
}

/// Runs a search whose devices work in parallel, each with its own clock.
class Replay
{
public:
    /// \param recalled  measurements of earlier searches
    explicit Replay(const SearchTask& task, const std::vector<Measurement>& recalled = {}, int day = 0)
        : m_world(task),
          m_strategy(makeAnyStrategy(task.strategy, m_world.space())),
          m_searching(dynamic_cast<const SearchingStrategy*>(m_strategy.get())),
          m_inFlight(m_world.devices().size())
    {
        m_record.task = task;
        m_record.statesConfidence = m_searching != nullptr;
        m_record.largestFit = m_world.largestFit();
        if (recalled.empty())
            return;
        for (std::size_t device = 0; device < m_world.devices().size(); ++device)
            m_world.devices()[device].reseed(task.seed + seedsBetween * (device + 1) + seedsOfDay * day);
        m_strategy->recall(recalled);
    }

    const std::vector<Measurement>& measured() const { return m_measured; }

    SearchRecord run()
    {
        startTrials();
        while (const auto device = nextToFinish()) {
            const TrialInFlight trial = *std::exchange(m_inFlight[*device], std::nullopt);
            m_now = trial.measurement.clockSeconds;
            m_measured.push_back(trial.measurement);
            const double before = processorMilliseconds();
            m_strategy->record(trial.measurement);
            changeSeed();
            startTrials();
            m_record.updateMilliseconds.push_back(processorMilliseconds() - before);
            note(trial);
        }
        m_record.searchState = m_strategy->searchState();
        judge();
        m_record.exhaustiveShare = m_now / m_world.exhaustiveSeconds();
        return std::move(m_record);
    }

private:
    std::optional<std::size_t> nextToFinish() const
    {
        std::optional<std::size_t> first;
        if (m_strategy->searchState().status != SearchState::Status::Searching)
            return first;
        for (std::size_t device = 0; device < m_inFlight.size(); ++device) {
            const auto& trial = m_inFlight[device];
            if (trial &&
                (!first || trial->measurement.clockSeconds < m_inFlight[*first]->measurement.clockSeconds))
                first = device;
        }
        return first;
    }

    void changeSeed()
    {
        const auto recorded = static_cast<int>(m_record.moments.size()) + 1;
        if (recorded != m_record.task.trialsOfSeed)
            return;
        for (std::size_t device = 0; device < m_world.devices().size(); ++device)
            m_world.devices()[device].reseed(m_record.task.otherSeed + device);
    }

    void startTrials()
    {
        for (std::size_t device = 0; device < m_inFlight.size(); ++device) {
            if (m_inFlight[device])
                continue;
            std::vector<std::int64_t> sizes;
            for (const auto& trial : m_inFlight) {
                if (trial)
                    sizes.push_back(trial->measurement.size);
            }
            const std::optional<Proposal> proposal = m_strategy->next(sizes);
            if (!proposal)
                return;
            ReplayDevice& replay = m_world.devices()[device];
            replay.waitUntil(m_now);
            m_inFlight[device] = {replay.run(*proposal), proposal->predictedFit};
        }
    }

    void note(const TrialInFlight& trial)
    {
        const Measurement& measurement = trial.measurement;
        m_record.outOfMemory += measurement.doesNotFit() ? 1 : 0;
        SearchRecord::Moment moment{.size = measurement.size,
                                    .outcome = measurement.outcome,
                                    .thrashes = measurement.thrashes,
                                    .abandoned = measurement.abandoned,
                                    .predictedFit = trial.predictedFit,
                                    .ramps = m_now / m_world.rampSeconds(),
                                    .seconds = m_now,
                                    .forecast = m_strategy->searchState().forecast};
        moment.isComparison = !measurement.compared.empty();
        if (measurement.secondsPerStep > 0.0)
            moment.measuredSpeed = static_cast<double>(measurement.size) / measurement.secondsPerStep;
        if (const auto& recommendation = m_strategy->searchState().recommendation) {
            moment.recommended = recommendation->size;
            moment.stated = recommendation->confidence / 100.0;
            moment.regret = m_world.regret(recommendation->size);
            moment.reason = recommendation->reason;
            moment.expectedLoss = recommendation->expectedLoss;
            moment.samplesPerSecond = recommendation->samplesPerSecond;
            moment.relativeError = recommendation->relativeError;
            moment.longRunSpeed = m_world.longRunSpeed(recommendation->size);
            if (m_searching)
                moment.evidence = m_searching->summary().evidence;
        }
        if (m_searching && moment.forecast)
            moment.forecastCase = m_searching->forecastCase();
        m_record.moments.push_back(moment);
    }

    void judge()
    {
        const auto& recommendation = m_record.searchState.recommendation;
        if (!recommendation)
            return;
        if (const auto verdict = m_world.verdict()) {
            m_record.judgment = {.shareWithin = verdict->shareWithin(recommendation->size),
                                 .regret = verdict->regret(recommendation->size),
                                 .perfectShare = verdict->perfectShare()};
        }
        const Reason& reason = recommendation->reason;
        if (reason.runnerUp <= 0 || reason.runnerUp > m_world.largestFit())
            return;
        const double lead = m_world.speed(recommendation->size) / m_world.speed(reason.runnerUp) - 1.0;
        if (std::abs(lead) < equalSpeeds)
            m_record.falseLead = std::max(reason.leadOverRunnerUp, 0.0);
    }

    SearchWorld m_world;
    std::unique_ptr<Strategy> m_strategy;
    /// Null for a baseline.
    const SearchingStrategy* m_searching;
    std::vector<std::optional<TrialInFlight>> m_inFlight;
    double m_now = 0.0;
    std::vector<Measurement> m_measured;
    SearchRecord m_record;
};

/// Scales the times of a measurement, as if the device had been slower by \p factor.
void slowDown(Measurement& measurement, double factor)
{
    const auto scale = [factor](std::vector<double>& values) {
        for (double& value : values)
            value *= factor;
    };
    measurement.secondsPerStep *= factor;
    scale(measurement.stepSeconds);
    for (trial::ComparedSize& size : measurement.compared) {
        for (trial::Visit& visit : size.visits) {
            visit.seconds *= factor;
            scale(visit.stepSeconds);
        }
    }
}

/// Returns the measurements of the earlier searches that a search recalls.
std::vector<Measurement> knownAfter(const SearchTask& task)
{
    std::vector<Measurement> known;
    for (int day = 1; day <= task.earlierSearches; ++day) {
        Replay search(task, known, day);
        search.run();
        RandomSource random(task.seed + seedsOfDay * static_cast<std::uint64_t>(day));
        const double factor = std::exp(dayDeviation * random.normal());
        for (Measurement measurement : search.measured()) {
            if (measurement.thrashes)
                continue;
            measurement.exploration = day;
            slowDown(measurement, factor);
            known.push_back(std::move(measurement));
        }
        for (Measurement& measurement : known)
            measurement = earlier(std::move(measurement), secondsOfDay);
    }
    return known;
}

} // namespace

std::vector<SearchTask> tasksOn(const std::vector<std::string>& families, int searches, SearchTask search)
{
    const std::uint64_t firstSeed = search.seed;
    std::vector<SearchTask> tasks;
    for (const std::string& family : families) {
        search.family = family;
        for (search.seed = firstSeed; search.seed < firstSeed + static_cast<std::uint64_t>(searches);
             ++search.seed)
            tasks.push_back(search);
    }
    return tasks;
}

SearchRecord runSearch(const SearchTask& task)
{
    return Replay(task, knownAfter(task), task.earlierSearches + 1).run();
}

std::vector<SearchRecord> runSearches(std::span<const SearchTask> tasks)
{
    std::vector<SearchRecord> records(tasks.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t task = next++; task < tasks.size(); task = next++)
            records[task] = runSearch(tasks[task]);
    };
    std::vector<std::future<void>> workers;
    for (unsigned worker = 0; worker < std::max(std::thread::hardware_concurrency(), 1U); ++worker)
        workers.push_back(std::async(std::launch::async, work));
    std::ranges::for_each(workers, &std::future<void>::get);
    return records;
}

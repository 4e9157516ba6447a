// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "maximum_search.h"

#include "accumulation/micro_batches.h"
#include "engine/exploration.h"
#include "engine/log_text.h"
#include "history/past_exploration.h"
#include "search/strategy.h"
#include "snapshot/failure_text.h"
#include "store/exploration_store.h"
#include "text/fidelity_text.h"
#include "training_plan.h"
#include "workers/run_devices.h"

#include <QTimer>

#include <algorithm>
#include <map>
#include <utility>

namespace batchpeak::training {

namespace {

using trial::TrialRecord;

/// More trials than any method needs for sizes up to 2^63; the methods end by themselves.
constexpr int enoughTrials = 500;

/// Returns the device that the training will run on.
QStringList onlyDevice(const engine::ExplorationOptions& options, const engine::ExplorationParts& parts)
{
    if (!options.devices.isEmpty() || !options.isHere())
        return options.devices.mid(0, 1);
    const auto devices = engine::chooseDevices({}, parts.localDevices());
    return {QString::fromStdString(devices.front().id())};
}

engine::ExplorationOptions searchOptions(const TrainingOptions& options, MaximumWay way, std::int64_t largest)
{
    engine::ExplorationOptions search = options.run;
    search.setting = config::Explore{};
    search.minimum = 1;
    search.maximum = largest;
    search.objective = search::Objective::Micro;
    search.strategy = toText(way);
    search.maxTrials = enoughTrials;
    search.timeBudget.reset();
    // Whether a size fits does not depend on time.
    search.repeatDisturbed = false;
    search.verify = false;
    return search;
}

/// Throughput of sizes that fit, from trials of a few steps.
///
/// It detects a size at which something destroys the throughput, such as memory that is repeatedly flushed or
/// moved, even with a program that does not count flushes. It does not decide which of two ordinary sizes is
/// faster.
class FitSpeeds
{
public:
    void add(std::int64_t size, double secondsPerStep)
    {
        m_samplesPerSecond[size] = static_cast<double>(size) / secondsPerStep;
    }

    /// Whether a smaller size is more than twice as fast.
    bool isFarSlower(std::int64_t size) const
    {
        constexpr double minShare = 0.5;
        const auto place = m_samplesPerSecond.find(size);
        return place != m_samplesPerSecond.end() &&
               std::any_of(m_samplesPerSecond.begin(), place,
                           [&](const auto& smaller) { return place->second < minShare * smaller.second; });
    }

    /// Returns the largest size that is not far slower; 0 if there is none.
    std::int64_t largest() const
    {
        const auto place = std::find_if(m_samplesPerSecond.rbegin(), m_samplesPerSecond.rend(),
                                        [this](const auto& size) { return !isFarSlower(size.first); });
        return place == m_samplesPerSecond.rend() ? 0 : place->first;
    }
    /// Whether a smaller size of at least a quarter of \p size was measured. A much smaller size does not
    /// help: the fixed cost of its steps would hide what destroys the throughput.
    bool knowsNearBelow(std::int64_t size) const
    {
        constexpr std::int64_t near = 4;
        const auto place = m_samplesPerSecond.lower_bound((size + near - 1) / near);
        return place != m_samplesPerSecond.end() && place->first < size;
    }

private:
    std::map<std::int64_t, double> m_samplesPerSecond;
};

/// A search whose trials only determine whether a size fits, and so are as short as possible. A size that is
/// far slower than a smaller one counts as thrashing. If no smaller size near the largest one ran, one is
/// tried at the end.
///
/// Apart from that, the wrapped strategy decides which size is tried next and what to learn from it.
class FitTrials final : public search::Strategy
{
public:
    FitTrials(std::unique_ptr<search::Strategy> strategy, const search::SearchSpace& space)
        : m_strategy(std::move(strategy)), m_space(space), m_state(m_strategy->searchState())
    {}

    void record(const search::Measurement& measurement) override
    {
        search::Measurement heard = measurement;
        const bool fits =
            m_space.memoryLimitBytes <= 0 || heard.peakReservedBytes <= m_space.memoryLimitBytes;
        if (heard.ran() && fits && !heard.thrashes && !heard.disturbed && heard.secondsPerStep > 0.0) {
            m_speeds.add(heard.size, heard.secondsPerStep);
            heard.thrashes = m_speeds.isFarSlower(heard.size);
        }
        m_strategy->record(heard);
        m_state = m_strategy->searchState();
        if (m_state.status == search::SearchState::Status::Exhausted && toCompareWith())
            m_state.status = search::SearchState::Status::Searching;
    }
    const search::SearchState& searchState() const override { return m_state; }
    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override
    {
        // Number of timed steps after the warm-up: with only one, the allocator's cache could still be as the
        // warm-up left it.
        constexpr int steps = 2;
        auto proposal = m_strategy->next(inFlight);
        if (const auto size = toCompareWith(); !proposal && inFlight.empty() && size) {
            m_compared = *size;
            proposal = search::Proposal{.size = *size};
        }
        if (proposal) {
            proposal->minSteps = proposal->maxSteps = steps;
            proposal->minSeconds = 0.0;
            // A slow size fits as well as a fast one, so trials are not abandoned.
            proposal->abandonAboveSeconds = 0.0;
        }
        return proposal;
    }

private:
    /// Returns half of the largest size that ran, if no smaller size near it is known; each is tried once.
    std::optional<std::int64_t> toCompareWith() const
    {
        const std::int64_t largest = m_speeds.largest();
        const std::int64_t half = largest / 2;
        const bool isAllowed =
            half >= std::max<std::int64_t>(m_space.minimum, 1) && m_space.candidates.empty();
        const bool isNew = m_compared == 0 || half < m_compared;
        return isAllowed && isNew && !m_speeds.knowsNearBelow(largest) ? std::optional(half) : std::nullopt;
    }

    std::unique_ptr<search::Strategy> m_strategy;
    search::SearchSpace m_space;
    search::SearchState m_state;
    FitSpeeds m_speeds;
    /// Size that was last tried for comparison; 0 before.
    std::int64_t m_compared = 0;
};

bool isOutOfMemory(const TrialRecord& trial)
{
    return trial.outcome == trial::Outcome::OutOfMemory;
}

/// Returns the largest size that ran; 0 if none did.
std::int64_t largestThatRan(const std::vector<TrialRecord>& trials)
{
    std::int64_t largest = 0;
    for (const TrialRecord& trial : trials) {
        if (trial.ranWell())
            largest = std::max(largest, trial.microBatchSize);
    }
    return largest;
}

/// Returns the largest size that ran in a way that training could; 0 if none did.
std::int64_t largestToTrainWith(const std::vector<TrialRecord>& trials)
{
    FitSpeeds speeds;
    std::int64_t untold = 0;
    for (const TrialRecord& trial : trials) {
        if (!trial.ranWell())
            continue;
        if (trial.disturbed || !trial.secondsPerStep)
            untold = std::max(untold, trial.microBatchSize);
        else
            speeds.add(trial.microBatchSize, *trial.secondsPerStep);
    }
    return std::max(untold, speeds.largest());
}

} // namespace

class MaximumSearch::Private
{
public:
    engine::ExplorationParts parts;
    std::unique_ptr<engine::Exploration> exploration;
    MaximumWay way = MaximumWay::Halving;
    bool isExact = false;
    bool isStopped = false;
    bool isRunning = false;
    /// Number of lines of the exploration's log that were forwarded or are not to be.
    std::size_t heardLines = 0;

    engine::ExplorationParts searchParts(std::int64_t largest) const
    {
        engine::ExplorationParts search = parts;
        // The training that this search is part of holds the other lease.
        search.lease = std::make_shared<engine::DeviceLease>(parts.lease->stuckWorkers());
        const auto makeStrategy = parts.makeStrategy;
        const bool roundsDown = !isExact;
        search.makeStrategy = [=](std::string_view name, search::SearchSpace space) {
            // Halving begins at the per-device batch, which is set to the bound here, since a growing batch
            // needs sizes above the actual one.
            space.perDeviceBatch = largest;
            space.predictsPowersOfTwo = roundsDown;
            return std::make_unique<FitTrials>(makeStrategy(name, space), space);
        };
        return search;
    }

    MaximumFound found(std::int64_t measured) const
    {
        const engine::Snapshot& snapshot = exploration->snapshot();
        return {.way = way,
                .measured = measured,
                // The size is at most the measured one, so it or a larger one has run.
                .used = isExact ? measured : accumulation::powerOfTwoAtMost(measured),
                .trials = static_cast<int>(snapshot.trials.size()),
                .outOfMemoryEvents = static_cast<int>(std::ranges::count_if(snapshot.trials, isOutOfMemory)),
                .seconds = snapshot.elapsedSeconds};
    }
};

MaximumSearch::MaximumSearch(engine::ExplorationParts parts, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->parts = std::move(parts);
}

MaximumSearch::~MaximumSearch() = default;

void MaximumSearch::start(const QString& filePath, const config::ConfigContents& contents,
                          const TrainingOptions& options, std::int64_t largest)
{
    if (d->isRunning)
        return;
    d->way = options.maximum.value_or(MaximumWay::Binary);
    d->isExact = options.exact;
    auto exploration = std::make_unique<engine::Exploration>(d->searchParts(largest));
    engine::ExplorationOptions search = searchOptions(options, d->way, largest);
    search.devices = onlyDevice(search, d->parts);
    // The training that uses the size is not sharded either.
    config::ConfigContents alone = trainedContents(contents);
    alone.step.sharding = model::Sharding::None;
    exploration->load(filePath, alone, search);

    d->exploration = std::move(exploration);
    d->isRunning = true;
    d->isStopped = false;
    engine::Exploration* runs = d->exploration.get();
    runs->start();
    // An exploration's first log lines concern its config, and the training logs them too.
    d->heardLines = runs->snapshot().log.size();
    connect(runs, &engine::Exploration::snapshotChanged, this, &MaximumSearch::passOnWarnings);
    engine::onEvent<engine::TrialFinished>(*runs, this, [this, runs](const engine::TrialFinished& finished) {
        if (engine::levelOf(finished.trial) == engine::LogLevel::Info)
            emit logged(engine::LogLevel::Info,
                        engine::endText(finished.trial, runs->snapshot().run->fidelity));
    });
    // Called from the event loop, since the exploration's signal may not outlive this object.
    engine::onEvent<engine::Finished>(
        *runs, this, [this](const auto&) { QTimer::singleShot(0, this, &MaximumSearch::report); });
}

void MaximumSearch::stop()
{
    if (!d->isRunning)
        return;
    d->isStopped = true;
    d->exploration->stop();
}

void MaximumSearch::passOnWarnings(const engine::Snapshot& snapshot)
{
    for (; d->heardLines < snapshot.log.size(); ++d->heardLines) {
        const engine::LogLine line = snapshot.log[d->heardLines];
        if (line.level != engine::LogLevel::Info && line.text != snapshot.failure)
            emit logged(line.level, line.text);
    }
}

void MaximumSearch::report()
{
    d->isRunning = false;
    const engine::Snapshot snapshot = d->exploration->snapshot();
    if (d->isStopped) {
        emit stopped();
        return;
    }
    if (snapshot.finish == engine::FinishStatus::NothingFits) {
        emit nothingFits(
            tr("Not enough memory even for batch_size=1. %1").arg(engine::memoryNeedText(snapshot, 1)));
        return;
    }
    const std::int64_t measured = largestToTrainWith(snapshot.trials);
    if (const std::int64_t largest = largestThatRan(snapshot.trials); largest > measured)
        emit logged(engine::LogLevel::Warning,
                    tr("Micro-batches of %1 ran too, but took more than twice as long for each sample as "
                       "smaller ones, as where memory is moved or flushed again and again; they are left.")
                        .arg(largest));
    if (snapshot.finish == engine::FinishStatus::Failed || measured == 0) {
        emit failed(snapshot.failure);
        return;
    }
    MaximumFound maximum = d->found(measured);
    maximum.recommended = recommendedSize(snapshot);
    emit found(maximum);
}

engine::DeviceIdentity MaximumSearch::device() const
{
    const std::vector<engine::DeviceSnapshot>& devices = d->exploration->snapshot().devices;
    return devices.empty() ? engine::DeviceIdentity() : engine::identityOf(devices.front());
}

std::int64_t MaximumSearch::recommendedSize(const engine::Snapshot& snapshot)
{
    try {
        const auto past = engine::pastExploration(store::ExplorationStore::defaultPath(), *snapshot.run,
                                                  snapshot.devices.front().id);
        return past ? past->recommendations.back().microBatchSize : 0;
    } catch (const store::StoreError& error) {
        emit logged(engine::LogLevel::Warning,
                    tr("The history cannot be read, so the maximum is compared with nothing: %1")
                        .arg(QString::fromUtf8(error.what())));
        return 0;
    }
}

} // namespace batchpeak::training

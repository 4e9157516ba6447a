// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "maximum_search.h"

#include "accumulation/growth_rule.h"
#include "engine/exploration.h"
#include "engine/failure_text.h"
#include "engine/fidelity_text.h"
#include "engine/log_text.h"
#include "engine/past_exploration.h"
#include "engine/run_devices.h"
#include "search/strategy.h"
#include "store/exploration_store.h"
#include "training_plan.h"

#include <QTimer>

#include <algorithm>
#include <utility>

namespace batchpeak::training {

namespace {

using trial::TrialRecord;

/// More than any way takes for sizes up to 2^63: the ways end by themselves.
constexpr int enoughTrials = 500;

/// The one device that the training will run on.
QStringList onlyDevice(const engine::ExplorationOptions& options, const engine::ExplorationParts& parts)
{
    if (!options.devices.isEmpty() || !options.launcher.isEmpty())
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
    // Whether a size fits is no matter of time.
    search.repeatDisturbed = false;
    search.verify = false;
    return search;
}

/// A search whose trials only tell whether a size fits, and so are as short as they can be.
///
/// Which size is tried next, and what is learned of it, is the other strategy's.
class FitTrials final : public search::Strategy
{
public:
    explicit FitTrials(std::unique_ptr<search::Strategy> strategy) : m_strategy(std::move(strategy)) {}

    void record(const search::Measurement& measurement) override { m_strategy->record(measurement); }
    const search::SearchState& searchState() const override { return m_strategy->searchState(); }
    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override
    {
        // After the warm-up: one step could still find the allocator's cache as the warm-up left it.
        constexpr int steps = 2;
        auto proposal = m_strategy->next(inFlight);
        if (proposal) {
            proposal->minSteps = proposal->maxSteps = steps;
            proposal->minSeconds = 0.0;
            // A slow size fits as well as a fast one.
            proposal->abandonAboveSeconds = 0.0;
        }
        return proposal;
    }

private:
    std::unique_ptr<search::Strategy> m_strategy;
};

bool isOutOfMemory(const TrialRecord& trial)
{
    return trial.outcome == trial::Outcome::OutOfMemory;
}

/// 0 where none ran as a training is to run.
std::int64_t largestThatRan(const std::vector<TrialRecord>& trials)
{
    std::int64_t largest = 0;
    for (const TrialRecord& trial : trials) {
        if (trial.ranWell())
            largest = std::max(largest, trial.microBatchSize);
    }
    return largest;
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
    /// Lines of the exploration's log that were passed on, or are not to be.
    std::size_t heardLines = 0;

    engine::ExplorationParts searchParts(std::int64_t largest) const
    {
        engine::ExplorationParts search = parts;
        // The training that it is a part of holds the other one.
        search.lease = std::make_shared<engine::DeviceLease>(parts.lease->stuckWorkers());
        const auto makeStrategy = parts.makeStrategy;
        const bool roundsDown = !isExact;
        search.makeStrategy = [=](std::string_view name, search::SearchSpace space) {
            // Halving begins at the per-device batch, which here is the bound: a batch that is to grow is
            // looked beyond.
            space.perDeviceBatch = largest;
            space.predictsPowersOfTwo = roundsDown;
            return std::make_unique<FitTrials>(makeStrategy(name, space));
        };
        return search;
    }

    MaximumFound found(std::int64_t measured) const
    {
        const engine::Snapshot& snapshot = exploration->snapshot();
        return {.way = way,
                .measured = measured,
                // At most the measured one, so that it or a larger one has run.
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
    // What is trained with the size shares nothing either.
    config::ConfigContents alone = trainedContents(contents);
    alone.step.sharding = model::Sharding::None;
    exploration->load(filePath, alone, search);

    d->exploration = std::move(exploration);
    d->isRunning = true;
    d->isStopped = false;
    engine::Exploration* runs = d->exploration.get();
    runs->start();
    // What an exploration says at its start is about its config, and the training says it too.
    d->heardLines = runs->snapshot().log.size();
    connect(runs, &engine::Exploration::snapshotChanged, this, &MaximumSearch::passOnWarnings);
    engine::onEvent<engine::TrialFinished>(*runs, this, [this, runs](const engine::TrialFinished& finished) {
        if (engine::levelOf(finished.trial) == engine::LogLevel::Info)
            emit logged(engine::LogLevel::Info,
                        engine::endText(finished.trial, runs->snapshot().run->fidelity));
    });
    // Not from its signal, which may not outlive this.
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
    const std::int64_t measured = largestThatRan(snapshot.trials);
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

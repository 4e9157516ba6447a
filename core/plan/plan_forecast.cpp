// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_forecast.h"

#include "history/past_exploration.h"
#include "snapshot/plan_text.h"
#include "store/exploration_store.h"
#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QStringList>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

namespace batchpeak::engine {

namespace {

using search::Estimate;
using store::StoredExploration;

// Trials of a search relative to an earlier one on the same device, in four of five cases: "make
// bench-time-left", on simulated devices with other random numbers.
constexpr double minAgain = 0.5;
constexpr double maxAgain = 2.0;
// Trials of a search that recalls one of the same run, in four of five cases: "batchpeak-bench-search
// --repeated".
constexpr double minRecalling = 1.0;
constexpr double likelyRecalling = 2.0;
constexpr double maxRecalling = 6.0;

std::vector<const DevicePreview*> chosenDevices(const PlanPreview& preview)
{
    std::vector<const DevicePreview*> chosen;
    for (const DevicePreview& device : preview.devices) {
        if (device.isChosen)
            chosen.push_back(&device);
    }
    return chosen;
}

/// Returns the strategy of the search that would begin.
std::unique_ptr<search::Strategy> strategyOf(const PlanPreview& preview)
{
    search::SearchSpace space = preview.plan->space;
    const std::vector<const DevicePreview*> devices = chosenDevices(preview);
    for (const DevicePreview* device : devices) {
        if (space.memoryLimitBytes == 0 ||
            (device->usableBytes > 0 && device->usableBytes < space.memoryLimitBytes))
            space.memoryLimitBytes = device->usableBytes;
    }
    space.devices = std::max(static_cast<int>(devices.size()), 1);
    return search::makeStrategy(preview.plan->run.strategy.toStdString(), space);
}

/// Returns the trials that the search expects before it knows anything.
Estimate expectedTrials(search::Strategy& strategy)
{
    // The search expects nothing before it is asked for a trial.
    strategy.next({});
    const search::SearchState& state = strategy.searchState();
    const auto trials = static_cast<double>(state.expectedTrials);
    return state.forecast ? state.forecast->trials
                          : Estimate{.likely = trials, .low = trials, .high = trials};
}

/// Whether the exploration ran on equally many devices, each of which is like one of these.
template<typename IsLike>
bool ranOnDevicesLike(const StoredExploration& past, const std::vector<const DevicePreview*>& devices,
                      IsLike isLike)
{
    const auto isAmongThem = [&](const store::DeviceRecord& record) {
        return std::ranges::any_of(
            devices, [&](const DevicePreview* chosen) { return isLike(record, chosen->device); });
    };
    return past.devices.size() == devices.size() && std::ranges::all_of(past.devices, isAmongThem);
}

bool ranOnThese(const StoredExploration& past, const std::vector<const DevicePreview*>& devices)
{
    return ranOnDevicesLike(past, devices,
                            [](const store::DeviceRecord& record, const device::LocalDevice& now) {
                                return record.id == QLatin1String(now.id().c_str()) &&
                                       record.name == QString::fromStdString(now.name);
                            });
}

std::optional<StoredExploration> earlierOn(const std::vector<const DevicePreview*>& devices,
                                           const RunDescription& run, const QString& storePath)
{
    if (storePath.isEmpty() || devices.empty())
        return std::nullopt;
    try {
        auto past = pastExploration(storePath, run, QString::fromStdString(devices.front()->device.id()));
        const bool counts = past && !past->trials.empty() && ranOnThese(*past, devices);
        return counts ? past : std::nullopt;
    } catch (const store::StoreError&) {
        return std::nullopt;
    }
}

/// Whether they are the very devices of that exploration, with the same driver. The frameworks of their
/// workers are not known yet.
bool areAsTheyWere(const StoredExploration& past, const std::vector<const DevicePreview*>& devices)
{
    return ranOnDevicesLike(past, devices,
                            [](const store::DeviceRecord& record, const device::LocalDevice& now) {
                                return record.uuid == QString::fromStdString(now.uuid) &&
                                       record.driver == QString::fromStdString(now.driver);
                            });
}

/// Whether the exploration had about as much memory: with much less, it had fewer sizes to explore.
bool hadAsMuchMemory(const StoredExploration& past, const std::vector<const DevicePreview*>& devices)
{
    constexpr double muchMore = 1.5;
    const auto isAsMuch = [&](const store::DeviceRecord& record) {
        return std::ranges::all_of(devices, [&](const DevicePreview* now) {
            const auto [less, more] =
                std::minmax({static_cast<double>(record.limitBytes), static_cast<double>(now->limitBytes)});
            return less <= 0.0 || more < muchMore * less;
        });
    };
    return std::ranges::all_of(past.devices, isAsMuch);
}

/// Whether this exploration can be expected to take as many trials as the earlier one.
bool askedForTheSame(const StoredExploration& past, const ExplorationPlan& plan)
{
    const store::ExplorationInfo& info = past.summary.info;
    // An exploration that a person or its budget ended does not tell how many trials it would have needed.
    const QString status = past.summary.end ? past.summary.end->status : QString();
    if (status != toText(FinishStatus::Confident) && status != toText(FinishStatus::Exhausted))
        return false;
    return info.strategy == plan.run.strategy && info.tolerance == plan.run.tolerance &&
           info.setting == QString::fromStdString(config::toText(plan.run.plan.setting)) &&
           info.objective == enumText(plan.run.objective);
}

} // namespace

PlanForecast planForecast(const PlanPreview& preview, const QString& storePath)
{
    const ExplorationPlan& plan = *preview.plan;
    const auto strategy = strategyOf(preview);
    PlanForecast forecast{.trials = expectedTrials(*strategy),
                          .isForEachPhase = preview.hasBothPhases,
                          .maxTrials = plan.space.maxTrials,
                          .maxSeconds = plan.run.budgetSeconds};
    const std::vector<const DevicePreview*> devices = chosenDevices(preview);
    if (!plan.isSearch() || preview.hasBothPhases)
        return forecast;
    const std::optional<StoredExploration> past = earlierOn(devices, plan.run, storePath);
    if (!past)
        return forecast;
    double seconds = 0.0;
    for (const trial::TrialRecord& trial : past->trials)
        seconds += trial.wallSeconds / static_cast<double>(devices.size());
    const auto trials = static_cast<double>(past->trials.size());
    const bool isSameQuestion = askedForTheSame(*past, plan) && hadAsMuchMemory(*past, devices);
    forecast.isRecalled = isSameQuestion && strategy->abilities().recalls && areAsTheyWere(*past, devices) &&
                          preview.option("--fresh").text != QLatin1String("on") &&
                          isOfTheSameRun(past->summary.info, plan.run);
    forecast.isAsLastTime = isSameQuestion && !forecast.isRecalled;
    const auto max = static_cast<double>(forecast.maxTrials);
    if (forecast.isRecalled) {
        forecast.trials = {.likely = std::min(likelyRecalling, max),
                           .low = std::min(minRecalling, max),
                           .high = std::min(maxRecalling, max)};
    } else if (forecast.isAsLastTime) {
        forecast.trials = {.likely = std::min(trials, max),
                           .low = std::min(minAgain * trials, max),
                           .high = std::min(maxAgain * trials, max)};
    }
    const auto secondsOf = [&](double count) {
        return std::min(count * seconds / trials, forecast.maxSeconds.value_or(HUGE_VAL));
    };
    forecast.seconds = Estimate{.likely = secondsOf(forecast.trials.likely),
                                .low = secondsOf(forecast.trials.low),
                                .high = secondsOf(forecast.trials.high)};
    return forecast;
}

QString planForecastText(const PlanForecast& forecast)
{
    QStringList sentences;
    const auto count = [](double trials) { return static_cast<int>(std::lround(trials)); };
    const int likely = count(forecast.trials.likely);
    const int low = count(forecast.trials.low);
    const int high = count(forecast.trials.high);
    QString trials = Translated::tr("1 trial");
    if (low < high)
        trials = Translated::tr("About %1 trials (%2 to %3, at most %4)")
                     .arg(likely)
                     .arg(low)
                     .arg(high)
                     .arg(forecast.maxTrials);
    else if (likely > 1)
        trials = Translated::tr("About %1 trials").arg(likely);
    sentences << (forecast.isForEachPhase ? Translated::tr("%1 for each phase.").arg(trials)
                                          : trials + QLatin1Char('.'));
    if (forecast.seconds) {
        const QString min = roughDurationText(forecast.seconds->low);
        const QString max = roughDurationText(forecast.seconds->high);
        const QString range =
            min == max ? Translated::tr("About %1").arg(min) : Translated::tr("%1 to %2").arg(min, max);
        const QString text = forecast.isRecalled
                                 ? Translated::tr("%1, because trials of an earlier run count.")
                             : forecast.isAsLastTime ? Translated::tr("%1, as last time here.")
                                                     : Translated::tr("%1, estimated from an earlier run.");
        sentences << text.arg(range);
    }
    if (forecast.maxSeconds)
        sentences << Translated::tr("No longer than %1.")
                         .arg(durationText(
                             std::chrono::milliseconds(std::llround(1000.0 * *forecast.maxSeconds))));
    return sentences.join(QLatin1Char(' '));
}

} // namespace batchpeak::engine

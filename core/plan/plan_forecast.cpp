// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_forecast.h"

#include "history/past_exploration.h"
#include "snapshot/plan_text.h"
#include "store/exploration_store.h"
#include "text/readable_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::PlanForecast)
};

using search::Estimate;
using store::StoredExploration;

// What a search takes over what one on the same device took before, in four of five cases: "make
// bench-time-left", on simulated devices with other chance.
constexpr double leastAgain = 0.5;
constexpr double mostAgain = 2.0;
// Trials of a search that recalls one of the same run, likewise: "batchpeak-bench-search --repeated".
constexpr double leastRecalling = 1.0;
constexpr double likelyRecalling = 2.0;
constexpr double mostRecalling = 6.0;

std::vector<const DeviceOutlook*> chosenDevices(const ExplorationOutlook& outlook)
{
    std::vector<const DeviceOutlook*> chosen;
    for (const DeviceOutlook& device : outlook.devices) {
        if (device.isChosen)
            chosen.push_back(&device);
    }
    return chosen;
}

/// Of the search that would begin.
std::unique_ptr<search::Strategy> strategyOf(const ExplorationOutlook& outlook)
{
    search::SearchSpace space = outlook.plan->space;
    const std::vector<const DeviceOutlook*> devices = chosenDevices(outlook);
    for (const DeviceOutlook* device : devices) {
        if (space.memoryLimitBytes == 0 ||
            (device->usableBytes > 0 && device->usableBytes < space.memoryLimitBytes))
            space.memoryLimitBytes = device->usableBytes;
    }
    space.devices = std::max(static_cast<int>(devices.size()), 1);
    return search::makeStrategy(outlook.plan->run.strategy.toStdString(), space);
}

/// As the search says it before it knows anything.
Estimate expectedTrials(search::Strategy& strategy)
{
    // It expects nothing before it is asked for a trial.
    strategy.next({});
    const search::SearchState& state = strategy.searchState();
    const auto trials = static_cast<double>(state.expectedTrials);
    return state.forecast ? state.forecast->trials
                          : Estimate{.likely = trials, .low = trials, .high = trials};
}

/// As many, and each like one of these.
template<typename IsLike>
bool ranOnDevicesLike(const StoredExploration& past, const std::vector<const DeviceOutlook*>& devices,
                      IsLike isLike)
{
    const auto isAmongThem = [&](const store::DeviceRecord& record) {
        return std::ranges::any_of(
            devices, [&](const DeviceOutlook* chosen) { return isLike(record, chosen->device); });
    };
    return past.devices.size() == devices.size() && std::ranges::all_of(past.devices, isAmongThem);
}

bool ranOnThese(const StoredExploration& past, const std::vector<const DeviceOutlook*>& devices)
{
    return ranOnDevicesLike(past, devices,
                            [](const store::DeviceRecord& record, const device::LocalDevice& now) {
                                return record.id == QLatin1String(now.id().c_str()) &&
                                       record.name == QString::fromStdString(now.name);
                            });
}

std::optional<StoredExploration> earlierOn(const std::vector<const DeviceOutlook*>& devices,
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

/// The very devices of that exploration, with the same driver. What frameworks their workers have is not
/// known yet.
bool areAsTheyWere(const StoredExploration& past, const std::vector<const DeviceOutlook*>& devices)
{
    return ranOnDevicesLike(past, devices,
                            [](const store::DeviceRecord& record, const device::LocalDevice& now) {
                                return record.uuid == QString::fromStdString(now.uuid) &&
                                       record.driver == QString::fromStdString(now.driver);
                            });
}

/// Whether it had about as much memory: with a small part of it, it had fewer sizes to look at.
bool hadAsMuchMemory(const StoredExploration& past, const std::vector<const DeviceOutlook*>& devices)
{
    constexpr double muchMore = 1.5;
    const auto isAsMuch = [&](const store::DeviceRecord& record) {
        return std::ranges::all_of(devices, [&](const DeviceOutlook* now) {
            const auto [less, more] =
                std::minmax({static_cast<double>(record.limitBytes), static_cast<double>(now->limitBytes)});
            return less <= 0.0 || more < muchMore * less;
        });
    };
    return std::ranges::all_of(past.devices, isAsMuch);
}

/// Whether it took as many trials as this one may be expected to take.
bool askedForTheSame(const StoredExploration& past, const ExplorationPlan& plan)
{
    const store::ExplorationInfo& info = past.summary.info;
    // One that a person or its budget ended says nothing of how many it would have needed.
    const QString status = past.summary.end ? past.summary.end->status : QString();
    if (status != toText(FinishStatus::Confident) && status != toText(FinishStatus::Exhausted))
        return false;
    const bool isMicro = plan.run.objective == search::Objective::Micro;
    return info.strategy == plan.run.strategy && info.tolerance == plan.run.tolerance &&
           info.setting == QString::fromStdString(config::toText(plan.run.plan.setting)) &&
           (info.objective == QLatin1String("micro")) == isMicro;
}

} // namespace

PlanForecast planForecast(const ExplorationOutlook& outlook, const QString& storePath)
{
    const ExplorationPlan& plan = *outlook.plan;
    const auto strategy = strategyOf(outlook);
    PlanForecast forecast{.trials = expectedTrials(*strategy),
                          .isForEachPhase = outlook.hasBothPhases,
                          .mostTrials = plan.space.maxTrials,
                          .mostSeconds = plan.run.budgetSeconds};
    const std::vector<const DeviceOutlook*> devices = chosenDevices(outlook);
    if (!plan.isSearch() || outlook.hasBothPhases)
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
                          outlook.option("--fresh").text != QLatin1String("on") &&
                          isOfTheSameRun(past->summary.info, plan.run);
    forecast.isAsLastTime = isSameQuestion && !forecast.isRecalled;
    const auto most = static_cast<double>(forecast.mostTrials);
    if (forecast.isRecalled) {
        forecast.trials = {.likely = std::min(likelyRecalling, most),
                           .low = std::min(leastRecalling, most),
                           .high = std::min(mostRecalling, most)};
    } else if (forecast.isAsLastTime) {
        forecast.trials = {.likely = std::min(trials, most),
                           .low = std::min(leastAgain * trials, most),
                           .high = std::min(mostAgain * trials, most)};
    }
    const auto secondsOf = [&](double count) {
        return std::min(count * seconds / trials, forecast.mostSeconds.value_or(HUGE_VAL));
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
                     .arg(forecast.mostTrials);
    else if (likely > 1)
        trials = Translated::tr("About %1 trials").arg(likely);
    sentences << (forecast.isForEachPhase ? Translated::tr("%1 for each phase.").arg(trials)
                                          : trials + QLatin1Char('.'));
    if (forecast.seconds) {
        const QString least = roughDurationText(forecast.seconds->low);
        const QString most = roughDurationText(forecast.seconds->high);
        const QString range = least == most ? Translated::tr("About %1").arg(least)
                                            : Translated::tr("%1 to %2").arg(least, most);
        const QString text = forecast.isRecalled     ? Translated::tr("%1, since an earlier run here counts.")
                             : forecast.isAsLastTime ? Translated::tr("%1, as last time here.")
                                                     : Translated::tr("%1, by an earlier run here.");
        sentences << text.arg(range);
    }
    if (forecast.mostSeconds)
        sentences << Translated::tr("No longer than %1.")
                         .arg(durationText(
                             std::chrono::milliseconds(std::llround(1000.0 * *forecast.mostSeconds))));
    return sentences.join(QLatin1Char(' '));
}

} // namespace batchpeak::engine

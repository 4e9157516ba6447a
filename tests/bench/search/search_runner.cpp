// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_search.h"

#include "device_families.h"
#include "strategy_factory.h"

#include <chrono>
#include <optional>

using namespace batchpeak::search;

RecordedSearch searchOn(const std::string& strategyName, const std::string& family, std::uint64_t seed)
{
    ReplayDevice device(simulatedDevice(family, seed), seed);
    const double bestSpeed = device.bestSpeed({});
    const double rampSeconds = device.rampSeconds();
    const auto strategy = makeStrategy(strategyName, device.space());
    RecordedSearch search;
    double seconds = 0.0;
    std::optional<Proposal> proposal = strategy->next({});
    while (proposal) {
        const Measurement trial = device.run(*proposal);
        seconds += trial.wallSeconds;
        search.outOfMemory += trial.outcome == Measurement::Outcome::DoesNotFit ? 1 : 0;
        const auto start = std::chrono::steady_clock::now();
        strategy->record(trial);
        proposal = strategy->next({});
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        search.updateMilliseconds.push_back(taken.count());

        RecordedSearch::Report report{.ramps = seconds / rampSeconds};
        if (const auto& recommendation = strategy->outlook().recommendation) {
            report.stated = recommendation->confidence / 100.0;
            report.regret = 1.0 - device.speed(recommendation->size) / bestSpeed;
        }
        search.reports.push_back(report);
    }
    search.exhaustiveShare = seconds / device.exhaustiveSeconds();
    search.isConfident = strategy->outlook().status == Outlook::Status::Confident;
    return search;
}

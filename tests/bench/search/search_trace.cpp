// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_reports.h"

#include "search_world.h"

#include <array>
#include <cstdio>

using namespace batchpeak::search;

namespace {

const char* outcomeText(const SearchRecord::Moment& moment)
{
    if (doesNotFit(moment.outcome))
        return "oom";
    if (moment.outcome != batchpeak::trial::Outcome::Ok)
        return "void";
    if (moment.thrashes)
        return "thrash";
    return moment.abandoned ? "short" : "ok";
}

const char* statusText(SearchState::Status status)
{
    switch (status) {
    case SearchState::Status::Searching:
        return "searching";
    case SearchState::Status::Confident:
        return "confident";
    case SearchState::Status::Exhausted:
        return "exhausted";
    case SearchState::Status::Budget:
        return "out of trials";
    case SearchState::Status::NothingFits:
        break;
    }
    return "nothing fits";
}

template<typename... Values>
std::string line(const char* format, Values... values)
{
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

} // namespace

std::string traceText(const SearchRecord& record)
{
    const SearchWorld world(record.task);
    const ReplayDevice::Truth& truth = world.truth();
    const auto asLong = [](std::int64_t value) { return static_cast<long long>(value); };
    std::string text =
        line("%s, seed %llu: largest fit %lld, best size %lld (%.6g samples/s), ", record.task.family.c_str(),
             static_cast<unsigned long long>(record.task.seed), asLong(world.largestFit()),
             asLong(world.bestSize()), world.speed(world.bestSize()));
    text += line("noise of steps %.2f %%, of runs %.2f %%, drift %.2f %%, outliers %.1f %%\n",
                 100.0 * truth.stepNoise, 100.0 * truth.runNoise, 100.0 * truth.drift,
                 100.0 * truth.outlierShare);
    text +=
        "true: what the size tried loses against the best; seen: the same as measured, in samples/s of one "
        "micro-batch;\nregret: what the recommended size loses; share: before calibration; all in percent\n";
    text += "trial   size outcome  P(fit)   true   seen | recommended regret  share stated  ramps | "
            "runner-up   lead   rival  P(rival)\n";
    int trial = 0;
    for (const SearchRecord::Moment& moment : record.moments) {
        const bool fits = moment.size <= world.largestFit();
        text += line("%5d %6lld %-7s %7.3f", ++trial, asLong(moment.size), outcomeText(moment),
                     moment.predictedFit);
        text += fits ? line(" %6.2f", 100.0 * world.regret(moment.size)) : std::string("      -");
        text += moment.measuredSpeed > 0.0
                    ? line(" %6.2f", 100.0 * (1.0 - moment.measuredSpeed * truth.seconds(world.bestSize()) /
                                                        static_cast<double>(world.bestSize())))
                    : std::string("      -");
        text += line(" | %11lld %6.2f", asLong(moment.recommended), 100.0 * moment.regret);
        text += moment.evidence ? line(" %6.1f", 100.0 * moment.evidence->share) : std::string("      -");
        text += line(" %6.0f %6.2f | %9lld %6.2f %7lld %9.3f\n", 100.0 * moment.stated, moment.ramps,
                     asLong(moment.reason.runnerUp), 100.0 * moment.reason.leadOverRunnerUp,
                     asLong(moment.reason.rival), moment.reason.rivalProbability);
    }
    text += line("ended %s\n", statusText(record.searchState.status));
    return text;
}

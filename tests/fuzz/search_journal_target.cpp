// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"
#include "history/search_journal.h"

#include <cmath>
#include <memory>
#include <stdexcept>

namespace batchpeak::fuzz {

namespace {

/// Limit of the trials in one input: a search with more takes so long that few inputs could be tried.
constexpr int maxTrials = 6;

} // namespace

// The first line is the search space; each further line is a call of the planner.
void run(std::string_view text)
{
    const QList<QByteArray> lines = QByteArray(text.data(), qsizetype(text.size())).split('\n');
    const auto space = engine::searchSpaceFrom(lines.front());
    if (!space)
        return;
    require(engine::toText(*engine::searchSpaceFrom(engine::toText(*space))) == engine::toText(*space),
            "a space is read as it is written", engine::toText(*space).toStdString());
    std::vector<engine::PlannerCall> calls;
    int trials = 0;
    for (const QByteArray& line : lines.mid(1)) {
        const auto call = engine::plannerCallFrom(line);
        if (!call)
            continue;
        const QByteArray written = engine::toText(*call);
        const auto again = engine::plannerCallFrom(written);
        require(again && engine::toText(*again) == written, "a call is read as it is written",
                written.toStdString());
        trials += call->measurement ? 1 : static_cast<int>(call->recalled.size());
        if (trials <= maxTrials)
            calls.push_back(*call);
    }
    std::unique_ptr<search::Strategy> strategy;
    try {
        strategy = search::makeStrategy("posterior", *space);
    } catch (const std::invalid_argument&) {
        return;
    }
    engine::TrialPlanner planner(std::move(strategy), space->maxTrials);
    engine::applyAll(calls, planner);
    const search::SearchState state = planner.searchState();
    if (state.recommendation)
        require(std::isfinite(state.recommendation->samplesPerSecond), "a recommendation is a number");
}

} // namespace batchpeak::fuzz

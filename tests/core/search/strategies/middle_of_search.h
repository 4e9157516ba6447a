// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exact_device.h"
#include "search/candidate_set.h"
#include "search/memory/memory_model.h"
#include "search/random_source.h"
#include "search/strategies/trial_safety.h"
#include "search/trial_history.h"

#include <optional>
#include <vector>

/// What is known in the middle of a search on a device without noise, which holds 100 samples.
struct MiddleOfSearch
{
    explicit MiddleOfSearch(const std::vector<batchpeak::search::Measurement>& trials,
                            const exact::Sizes& list = {})
        : space(spaceWith(list)), candidates(space), history(space.memoryLimitBytes)
    {
        for (const batchpeak::search::Measurement& trial : trials)
            history.record(trial);
        batchpeak::search::RandomSource random(3);
        memory.emplace(space, candidates, history, random);
    }

    batchpeak::search::TrialSafety::Situation situation() const
    {
        return {candidates, history, *memory, inFlight};
    }
    batchpeak::search::TrialSafety safety() const { return batchpeak::search::TrialSafety(situation()); }

    batchpeak::search::SearchSpace space;
    batchpeak::search::CandidateSet candidates;
    batchpeak::search::TrialHistory history;
    std::optional<batchpeak::search::MemoryModel> memory;
    exact::Sizes inFlight;

private:
    static batchpeak::search::SearchSpace spaceWith(const exact::Sizes& list)
    {
        batchpeak::search::SearchSpace space = exact::spaceFor(100);
        space.candidates = list;
        return space;
    }
};

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "expected_trials.h"

#include <algorithm>

namespace batchpeak::engine {

int expectedTrials(const ExplorationPlan& plan, std::int64_t usableBytes, int devices)
{
    search::SearchSpace space = plan.space;
    space.memoryLimitBytes = usableBytes;
    space.devices = std::max(devices, 1);
    const auto strategy = search::makeStrategy(plan.run.strategy.toStdString(), space);
    // It expects nothing before it is asked for a trial.
    strategy->next({});
    return strategy->searchState().expectedTrials;
}

} // namespace batchpeak::engine

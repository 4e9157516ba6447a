// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_runner.h"

#include "running_request.h"
#include "trial/step_statistics.h"
#include "trial/trial_record.h"

#include <algorithm>
#include <vector>

namespace batchpeak::worker {

namespace {

// The first step includes lazy initialization, and two more let caches settle; all of these sizes have run
// before.
constexpr int stepsAtFirst = 3;

class RunningComparison : RunningRequest
{
public:
    RunningComparison(const trial::CompareRequest& request, TrialSteps& steps, const TrialClock& clock,
                      TrialGates gates, const RequestContext& context)
        : RunningRequest(request.id, request.timeLimitSeconds, steps, clock, gates, context),
          m_request(request)
    {
        for (const std::int64_t size : request.microBatchSizes)
            m_result.compared.push_back({.microBatchSize = size});
    }

    Answer<trial::TrialResult> run()
    {
        if (warmUpAll() && visitAll()) {
            m_result.outcome = trial::Outcome::Ok;
            m_result.microBatchSize = 0;
        }
        m_result.optimizerSeconds = trial::typicalStepSeconds(m_optimizerSeconds);
        return answer();
    }

private:
    bool warmUpAll()
    {
        return std::ranges::all_of(m_result.compared,
                                   [this](trial::ComparedSize& size) { return warmUp(size); });
    }

    // Each size starts with an empty cache, so that its peak is the same as in a trial.
    bool warmUp(trial::ComparedSize& size)
    {
        if (!beginWith(size) || !proceeds(m_steps.prepare(size.microBatchSize)) || !takeUntimed(stepsAtFirst))
            return false;
        const MemoryReading memory = m_steps.memory();
        size.peakReservedBytes = memory.peakReservedBytes;
        return memory.spilled ? endSpilled() : true;
    }

    bool visitAll()
    {
        m_steps.resetPeaks();
        beginGates();
        pauseGates();
        std::vector<trial::ComparedSize*> order;
        for (trial::ComparedSize& size : m_result.compared)
            order.push_back(&size);
        for (int round = 0; round < m_request.visits; ++round, std::ranges::reverse(order)) {
            if (!std::ranges::all_of(order, [this](trial::ComparedSize* size) { return visit(*size); }))
                return false;
        }
        askGates(static_cast<int>(order.size()) * m_request.visits * m_request.steps);
        // The energy of all sizes together has no meaning.
        m_result.readings.energyJoules.reset();
        // If the caches of all sizes together spilled, no single size is at fault, and the times are spoiled
        // as by a flush.
        if (m_result.allocationRetries > 0 || m_steps.memory().spilled)
            m_result.flags.emplace_back(trial::flag::thrashes);
        return true;
    }

    bool visit(trial::ComparedSize& size)
    {
        const std::int64_t retriesBefore = m_steps.memory().allocationRetries;
        if (!beginWith(size) || !proceeds(m_steps.changeTo(size.microBatchSize)) ||
            !takeUntimed(m_request.untimedSteps))
            return false;
        resumeGates();
        const auto chain = take(m_request.steps);
        if (!chain || !add(*chain, size))
            return false;
        lookAround();
        pauseGates();
        size.visits.back().contention = contentionOfVisit();
        const std::int64_t retries = m_steps.memory().allocationRetries - retriesBefore;
        size.allocationRetries += retries;
        m_result.allocationRetries += retries;
        return true;
    }

    bool add(const network::StepChain& chain, trial::ComparedSize& size)
    {
        trial::Visit visit{.clockSeconds = beginOf(chain), .seconds = chain.totalSeconds()};
        for (const network::StepTimes& times : chain.steps) {
            visit.stepSeconds.push_back(times.microBatchSeconds());
            report(trial::StepPhase::Timed, m_stepsTaken++, visit.stepSeconds.back());
        }
        if (!chain.lacksStep)
            m_optimizerSeconds.push_back(chain.optimizerSeconds.value_or(0.0));
        if (!(visit.seconds > 0 && std::ranges::min(visit.stepSeconds) > 0)) {
            m_result.text = "A step took no time that could be measured.";
            return end(trial::Outcome::Failed);
        }
        size.visits.push_back(std::move(visit));
        return true;
    }

    // From here on, anything that ends the comparison is attributed to this size.
    bool beginWith(const trial::ComparedSize& size)
    {
        m_result.microBatchSize = size.microBatchSize;
        return !endedBetweenSteps();
    }

    bool takeUntimed(int steps)
    {
        for (int step = 0; step < steps; ++step) {
            const auto chain = take(1);
            if (!chain)
                return false;
            report(trial::StepPhase::Warmup, m_stepsTaken++, chain->wallSeconds);
            if (endedBetweenSteps())
                return false;
        }
        return true;
    }

    const trial::CompareRequest& m_request;
    int m_stepsTaken = 0;
    std::vector<double> m_optimizerSeconds;
};

} // namespace

Answer<trial::TrialResult> runComparison(const trial::CompareRequest& request, TrialSteps& steps,
                                         const TrialClock& clock, TrialGates gates,
                                         const RequestContext& context)
{
    return RunningComparison(request, steps, clock, gates, context).run();
}

} // namespace batchpeak::worker

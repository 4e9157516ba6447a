// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_runner.h"

#include "running_request.h"
#include "trial/step_statistics.h"
#include "trial/trial_record.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchpeak::worker {

namespace {

// The worker waits for the device once per chain: on a GPU each wait leaves the device idle for about ten
// microseconds, which is negligible beside a chain this long, and the parent still receives steps several
// times a second.
constexpr double chainSeconds = 0.1;
constexpr int stepsBeforeAbandoning = 3;

struct Timed
{
    std::vector<double> forward;
    std::vector<double> backward;
    /// Optimizer time of each chain that has a step.
    std::vector<double> optimizer;
    /// Time of the forward and backward pass.
    std::vector<double> step;
    double totalSeconds = 0.0;

    void add(const network::StepTimes& times)
    {
        forward.push_back(times.forwardSeconds);
        backward.push_back(times.backwardSeconds);
        step.push_back(times.microBatchSeconds());
        totalSeconds += step.back();
    }
    int count() const { return static_cast<int>(step.size()); }
};

class RunningTrial : RunningRequest
{
public:
    RunningTrial(const trial::TrialRequest& request, TrialSteps& steps, const TrialClock& clock,
                 TrialGates gates, const RequestContext& context)
        : RunningRequest(request.id, request.timeLimitSeconds, steps, clock, gates, context),
          m_request(request)
    {
        m_result.microBatchSize = request.microBatchSize;
    }

    Answer<trial::TrialResult> run()
    {
        if (proceeds(m_steps.prepare(m_request.microBatchSize)) && warmUp() && measure())
            m_result.outcome = trial::Outcome::Ok;
        summarize();
        return answer();
    }

private:
    bool warmUp()
    {
        std::vector<double> seconds;
        while (!trial::isWarm(seconds, m_request.timeLimitSeconds)) {
            const auto chain = take(1);
            if (!chain)
                return false;
            seconds.push_back(chain->wallSeconds);
            report(trial::StepPhase::Warmup, static_cast<int>(seconds.size()) - 1, seconds.back());
            if (endedBetweenSteps())
                return false;
        }
        m_expectedSeconds = seconds.back();
        return true;
    }

    bool measure()
    {
        const std::int64_t retriesBefore = m_steps.memory().allocationRetries;
        m_steps.resetPeaks();
        beginGates();
        const bool complete = takeTimedSteps();
        if (complete)
            askGates(m_timed.count());

        const MemoryReading memory = m_steps.memory();
        m_result.peakAllocatedBytes = memory.peakAllocatedBytes;
        m_result.peakReservedBytes = std::max(m_result.peakReservedBytes, memory.peakReservedBytes);
        m_result.allocationRetries = memory.allocationRetries - retriesBefore;
        if (m_result.allocationRetries > 0)
            m_result.flags.emplace_back(trial::flag::thrashes);
        if (complete && memory.spilled)
            return endSpilled();
        return complete;
    }

    bool takeTimedSteps()
    {
        while (const int next = nextChain()) {
            const auto chain = take(next);
            if (!chain)
                return false;
            if (!m_result.clockSeconds)
                m_result.clockSeconds = beginOf(*chain);
            m_microBatchesPerStep = chain->microBatchesPerStep;
            lookAround();
            for (const network::StepTimes& times : chain->steps) {
                m_timed.add(times);
                report(trial::StepPhase::Timed, m_timed.count() - 1, m_timed.step.back());
            }
            const double optimizerSeconds = chain->optimizerSeconds.value_or(0.0);
            if (!chain->lacksStep)
                m_timed.optimizer.push_back(optimizerSeconds);
            m_timed.totalSeconds += optimizerSeconds;
            m_expectedSeconds = m_timed.totalSeconds / m_timed.count();
            if (canNoLongerWin()) {
                m_result.flags.emplace_back(trial::flag::abandoned);
                return true;
            }
            if (m_timed.count() < m_request.minSteps && endedBetweenSteps())
                return false;
            if (isCancelled())
                return end(trial::Outcome::Cancelled);
            if (isTimeUp())
                break;
        }
        return true;
    }

    // Steps that are still wanted, limited to the number that may run without a check of cancel and clock.
    int nextChain() const
    {
        const double left = m_request.minSeconds - m_timed.totalSeconds;
        const double wantedForTime = left > 0 ? std::ceil(left / m_expectedSeconds) : 0.0;
        const double wanted = std::clamp<double>(wantedForTime, m_request.minSteps - m_timed.count(),
                                                 m_request.maxSteps - m_timed.count());
        double allowed = std::max(1.0, std::floor(chainSeconds / m_expectedSeconds));
        if (m_request.abandonAboveSeconds > 0 && m_timed.count() < stepsBeforeAbandoning)
            allowed = std::min<double>(allowed, stepsBeforeAbandoning - m_timed.count());
        return static_cast<int>(std::max(0.0, std::min(wanted, allowed)));
    }

    bool canNoLongerWin() const
    {
        return m_request.abandonAboveSeconds > 0 && m_timed.count() >= stepsBeforeAbandoning &&
               std::ranges::min(m_timed.step) > m_request.abandonAboveSeconds;
    }

    void summarize()
    {
        m_result.steps = m_timed.count();
        m_result.samples = m_request.microBatchSize * m_timed.count() * m_microBatchesPerStep;
        m_result.stepSeconds = m_timed.step;
        m_result.relativeError = trial::relativeStandardError(m_timed.step);
        m_result.forwardSeconds = trial::typicalStepSeconds(m_timed.forward);
        m_result.backwardSeconds = trial::typicalStepSeconds(m_timed.backward);
        m_result.optimizerSeconds = trial::typicalStepSeconds(m_timed.optimizer);
        if (const auto typical = trial::typicalStepSeconds(m_timed.step)) {
            m_result.secondsPerStep = *typical;
        } else if (m_result.outcome == trial::Outcome::Ok) {
            m_result.outcome = trial::Outcome::Failed;
            m_result.text = "No step took a time that could be measured.";
        }
        // A step that took no time is not a measurement, and the protocol rejects it.
        if (m_result.secondsPerStep == 0)
            m_result.stepSeconds.clear();
    }

    const trial::TrialRequest& m_request;
    double m_expectedSeconds = 0.0;
    int m_microBatchesPerStep = 1;
    Timed m_timed;
};

} // namespace

Answer<trial::TrialResult> runTrial(const trial::TrialRequest& request, TrialSteps& steps,
                                    const TrialClock& clock, TrialGates gates, const RequestContext& context)
{
    return RunningTrial(request, steps, clock, gates, context).run();
}

} // namespace batchpeak::worker

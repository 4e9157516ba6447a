// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_comparison.h"

#include "fake_speech.h"
#include "trial/trial_record.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace batchpeak::test {

void FakeComparison::answer(const trial::CompareRequest& request, std::int64_t limit, double& clock)
{
    beginAnswer(request.microBatchSizes.front());
    ++m_comparisons;
    m_steps = 0;
    m_hanging.reset();
    m_falsification.clear();
    m_result = {
        .id = request.id, .outcome = trial::Outcome::Ok, .optimizerSeconds = FakeBehavior::optimizerSeconds};
    const double begin = clock;
    if (!visitAll(request, limit, clock))
        return;
    m_result.wallSeconds = clock - begin;
    falsify();
    if (m_falsification == "late" && m_last)
        say(*m_last);
    m_last = m_result;
    say(m_result);
    if (m_result.isLast)
        std::exit(43);
}

/// \return whether the comparison is to be answered
bool FakeComparison::visitAll(const trial::CompareRequest& request, std::int64_t limit, double& clock)
{
    std::vector<std::size_t> order;
    for (const std::int64_t size : request.microBatchSizes) {
        order.push_back(m_result.compared.size());
        m_result.compared.push_back({.microBatchSize = size, .peakReservedBytes = m_behavior.bytesOf(size)});
    }
    for (int round = 0; round < request.visits; ++round, std::ranges::reverse(order)) {
        for (const std::size_t place : order) {
            trial::ComparedSize& size = m_result.compared[place];
            if (round == 0 && !mayBeginWith(size.microBatchSize, limit))
                return !m_hanging && m_falsification != "garbage";
            visit(request, size, clock);
        }
    }
    return true;
}

/// \return false if the comparison ends with this size, or hangs
bool FakeComparison::mayBeginWith(std::int64_t size, std::int64_t limit)
{
    const std::string fault = m_behavior.faultFor(m_behavior.comparisonFaults, size, m_comparisons);
    endProcess(fault);
    if (!fault.empty())
        m_falsification = fault;
    if (fault == "garbage") {
        std::cout << "{\"type\":\"result\",\"compared\":[" << std::endl;
        return false;
    }
    if (fault == "hang") {
        m_hanging = endedBy(trial::Outcome::Cancelled, size);
        return false;
    }
    const auto told = trial::fromText<trial::Outcome>(fault == "lost-memory" ? "oom" : fault);
    if (!told && m_behavior.bytesOf(size) <= limit)
        return true;
    m_result = endedBy(told.value_or(trial::Outcome::OutOfMemory), size);
    m_result.isLast = fault == "lost-memory";
    return false;
}

void FakeComparison::visit(const trial::CompareRequest& request, trial::ComparedSize& size, double& clock)
{
    const double seconds = m_behavior.secondsOf(size.microBatchSize);
    const double whole = seconds + FakeBehavior::optimizerSeconds;
    for (int step = 0; step < request.untimedSteps + request.steps; ++step) {
        const bool isTimed = step >= request.untimedSteps;
        say(trial::Step{.id = request.id,
                        .phase = isTimed ? trial::StepPhase::Timed : trial::StepPhase::Warmup,
                        .index = m_steps++,
                        .seconds = seconds});
    }
    clock += request.untimedSteps * whole;
    size.visits.push_back({.clockSeconds = clock,
                           .seconds = request.steps * whole,
                           .stepSeconds = std::vector(static_cast<std::size_t>(request.steps), seconds)});
    clock += request.steps * whole;
}

/// Returns the current comparison as ended by a size; earlier measurements remain.
trial::TrialResult FakeComparison::endedBy(trial::Outcome outcome, std::int64_t size) const
{
    trial::TrialResult ended = m_result;
    ended.microBatchSize = size;
    ended.outcome = outcome;
    ended.text = "The fake worker was told to end at this size.";
    if (outcome == trial::Outcome::OutOfMemory)
        ended.peakReservedBytes = m_behavior.bytesOf(size);
    return ended;
}

void FakeComparison::falsify()
{
    std::vector<trial::ComparedSize>& sizes = m_result.compared;
    if (m_falsification == "wrong-id") {
        m_result.id += 1000;
    } else if (m_falsification == "wrong-size") {
        sizes.back().microBatchSize += 1000;
    } else if (m_falsification == "wrong-end") {
        m_result = endedBy(trial::Outcome::OutOfMemory, sizes.back().microBatchSize + 1000);
    } else if (m_falsification == "trial") {
        m_result = {.id = m_result.id,
                    .microBatchSize = sizes.back().microBatchSize,
                    .outcome = trial::Outcome::Ok,
                    .steps = 1,
                    .secondsPerStep = 1.0};
    } else if (m_falsification == "missing-size") {
        sizes.pop_back();
    } else if (m_falsification == "missing-visit") {
        sizes.back().visits.pop_back();
    } else if (m_falsification == "missing-visits") {
        for (trial::ComparedSize& size : sizes)
            size.visits.pop_back();
    } else if (m_falsification == "more-steps") {
        std::vector<double>& steps = sizes.back().visits.back().stepSeconds;
        steps.push_back(steps.back());
    } else if (m_falsification == "thrash") {
        sizes.back().allocationRetries = 3;
        m_result.flags.emplace_back(trial::flag::thrashes);
    } else if (m_falsification == "spill") {
        sizes.at(1).peakReservedBytes = FakeBehavior::totalBytes + 1;
    } else if (m_falsification == "disturbed") {
        m_result.flags.push_back(trial::disturbedBy("other programs used 1.0 of 2 processors"));
    }
}

void FakeComparison::cancel(std::int64_t id)
{
    if (!m_hanging || m_hanging->id != id)
        return;
    say(*m_hanging);
    m_hanging.reset();
}

} // namespace batchpeak::test

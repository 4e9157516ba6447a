// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "running_request.h"

#include "trial/trial_record.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace batchpeak::worker {

RunningRequest::RunningRequest(std::int64_t id, double timeLimitSeconds, TrialSteps& steps,
                               const TrialClock& clock, TrialGates gates, const RequestContext& context)
    : m_steps(steps),
      m_timeLimitSeconds(timeLimitSeconds),
      m_clock(clock),
      m_gates(gates),
      m_context(context),
      m_start(clock.wallSeconds())
{
    m_result.id = id;
    m_steps.setInterrupted([this] { return isCancelled() || isTimeUp(); });
}

RunningRequest::~RunningRequest()
{
    m_steps.setInterrupted([] { return false; });
}

bool RunningRequest::proceeds(std::optional<Interruption> interruption)
{
    if (!interruption)
        return true;
    if (const auto* failure = std::get_if<network::Failure>(&*interruption)) {
        m_result.outcome = failure->outcome;
        m_result.text = failure->text;
        m_result.refusedHostBytes = failure->refusedHostBytes;
        m_result.peakReservedBytes = std::max(failure->neededBytes, m_steps.memory().peakReservedBytes);
    } else {
        m_result.outcome = isCancelled() ? trial::Outcome::Cancelled : trial::Outcome::Timeout;
    }
    m_interruption = std::move(interruption);
    return false;
}

std::optional<network::StepChain> RunningRequest::take(int steps)
{
    for (;;) {
        ChainOrInterruption taken = m_steps.run(steps);
        if (auto* interruption = std::get_if<Interruption>(&taken)) {
            proceeds(std::move(*interruption));
            return std::nullopt;
        }
        auto chain = std::get<network::StepChain>(std::move(taken));
        if (!chain.lacksStep)
            return chain;
        if (!mayTakeAgain()) {
            if (!trial::hasFlag(m_result.flags, trial::flag::lacksSteps))
                m_result.flags.emplace_back(trial::flag::lacksSteps);
            return chain;
        }
        ++m_withoutStep;
    }
}

bool RunningRequest::mayTakeAgain() const
{
    // Each chain without a step halves the loss scale, which begins at 2^16
    // (core/network/optimizers/loss_scale.cpp): gradients that are infinite at 2^-16 are infinite at any
    // scale.
    constexpr int maxWithoutStep = 32;
    constexpr double shareOfTimeLimit = 0.2;
    return m_withoutStep < maxWithoutStep && !isCancelled() &&
           m_clock.wallSeconds() - m_start < shareOfTimeLimit * m_timeLimitSeconds;
}

bool RunningRequest::endedBetweenSteps()
{
    if (isCancelled())
        return !end(trial::Outcome::Cancelled);
    if (isTimeUp())
        return !end(trial::Outcome::Timeout);
    return false;
}

bool RunningRequest::end(trial::Outcome outcome)
{
    m_result.outcome = outcome;
    return false;
}

bool RunningRequest::endSpilled()
{
    m_result.text = "The step took more memory than the device has; its driver moved data to main "
                    "memory instead of refusing it.";
    return end(trial::Outcome::OutOfMemory);
}

void RunningRequest::report(trial::StepPhase phase, int index, double seconds) const
{
    m_context.report({.id = m_result.id, .phase = phase, .index = index, .seconds = seconds});
}

void RunningRequest::beginGates()
{
    for (const auto& gate : m_gates)
        gate->begin();
}

void RunningRequest::pauseGates()
{
    for (const auto& gate : m_gates)
        gate->pause();
}

void RunningRequest::resumeGates()
{
    for (const auto& gate : m_gates)
        gate->resume();
}

std::optional<double> RunningRequest::contentionOfVisit() const
{
    for (const auto& gate : m_gates) {
        if (const std::optional<double> told = gate->contention())
            return told;
    }
    return std::nullopt;
}

void RunningRequest::lookAround()
{
    for (const auto& gate : m_gates)
        gate->look();
}

void RunningRequest::askGates(int steps)
{
    GateReport report;
    for (const auto& gate : m_gates)
        gate->end(steps, report);
    m_result.readings = report.readings;
    for (const std::string& reason : report.disturbances)
        m_result.flags.push_back(trial::disturbedBy(reason));
    m_result.flags.insert(m_result.flags.end(), report.notes.begin(), report.notes.end());
}

double RunningRequest::beginOf(const network::StepChain& chain) const
{
    return m_clock.wallSeconds() - chain.totalSeconds() - m_context.helloSeconds;
}

Answer<trial::TrialResult> RunningRequest::answer()
{
    m_result.wallSeconds = m_clock.wallSeconds() - m_start;
    return {.result = std::move(m_result), .interruption = std::move(m_interruption)};
}

} // namespace batchpeak::worker

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "trial_clock.h"
#include "trial_gate.h"
#include "trial_steps.h"

#include <cstdint>
#include <optional>

namespace batchpeak::worker {

/// Base of a trial and a comparison while they run: they take steps until something ends them (the parent,
/// the time, a failure), and gates watch.
///
/// This class decides how such an end is reported. Derived classes decide which steps are taken, and what
/// their times mean. Functions that return bool return whether the next stage is to follow, unless their name
/// asks a question.
class RunningRequest
{
public:
    RunningRequest(const RunningRequest&) = delete;
    RunningRequest& operator=(const RunningRequest&) = delete;

protected:
    /// \param timeLimitSeconds  time limit, counted from now
    RunningRequest(std::int64_t id, double timeLimitSeconds, TrialSteps& steps, const TrialClock& clock,
                   TrialGates gates, const RequestContext& context);
    /// Removes the check that interrupts steps.
    ~RunningRequest();

    bool proceeds(std::optional<Interruption> interruption);
    /// Takes steps; returns nothing if they were interrupted. A chain that lacks the optimizer's step is
    /// taken again, as long as a loss scale may still be found at which the optimizer steps.
    std::optional<network::StepChain> take(int steps);
    bool isCancelled() const { return m_context.cancelled(); }
    bool isTimeUp() const { return m_clock.wallSeconds() - m_start >= m_timeLimitSeconds; }
    bool endedBetweenSteps();
    bool end(trial::Outcome outcome);
    /// Ends the request as out of memory: the driver has moved data to main memory, so the step did not fit,
    /// although nothing failed.
    bool endSpilled();
    void report(trial::StepPhase phase, int index, double seconds) const;

    void beginGates();
    void pauseGates();
    void resumeGates();
    /// Returns the contention that the gate of the computing device reports for the steps since
    /// resumeGates().
    std::optional<double> contentionOfVisit() const;
    void lookAround();
    /// \param steps  number of steps that the gates watched, at least one
    void askGates(int steps);

    /// Returns when a chain of steps that has just ended began [s since the hello].
    double beginOf(const network::StepChain& chain) const;
    Answer<trial::TrialResult> answer();

    TrialSteps& m_steps;
    trial::TrialResult m_result;

private:
    bool mayTakeAgain() const;

    const double m_timeLimitSeconds;
    const TrialClock& m_clock;
    const TrialGates m_gates;
    const RequestContext& m_context;
    const double m_start;
    std::optional<Interruption> m_interruption;
    /// Number of chains that lacked the optimizer's step.
    int m_withoutStep = 0;
};

} // namespace batchpeak::worker

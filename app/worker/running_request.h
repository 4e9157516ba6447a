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

/// What a trial and a comparison share while they run: they take steps until something ends them (the parent,
/// the time, a failure), and gates watch.
///
/// It decides how such an end is told. Which steps are taken, and what their times mean, is decided by those
/// that derive from it. Stages return whether the next one is to follow.
class RunningRequest
{
public:
    RunningRequest(const RunningRequest&) = delete;
    RunningRequest& operator=(const RunningRequest&) = delete;

protected:
    /// \param timeLimitSeconds  from now
    RunningRequest(std::int64_t id, double timeLimitSeconds, TrialSteps& steps, const TrialClock& clock,
                   TrialGates gates, const RequestContext& context);
    /// No step is interrupted any more.
    ~RunningRequest();

    bool proceeds(std::optional<Interruption> interruption);
    /// Nothing where they were interrupted. What lacks the optimizer's step is taken again, so long as a
    /// scale of the loss may be found at which it steps.
    std::optional<network::StepChain> take(int steps);
    bool isCancelled() const { return m_context.cancelled(); }
    bool isTimeUp() const { return m_clock.wallSeconds() - m_start >= m_timeLimitSeconds; }
    bool endedBetweenSteps();
    bool end(trial::Outcome outcome);
    /// The driver has moved data to main memory: it did not fit, although nothing failed.
    bool endSpilled();
    void report(trial::StepPhase phase, int index, double seconds) const;

    void beginGates();
    void pauseGates();
    void resumeGates();
    /// What the gate of the computing device tells of the steps since resumeGates().
    std::optional<double> contentionOfVisit() const;
    void lookAround();
    /// \param steps  that they watched, at least one
    void askGates(int steps);

    /// When steps that have ended just now began [s since the hello].
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
    /// Chains that lacked the optimizer's step.
    int m_withoutStep = 0;
};

} // namespace batchpeak::worker

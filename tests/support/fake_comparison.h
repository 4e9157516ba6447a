// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fake_behavior.h"
#include "trial/protocol.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::test {

/// The comparisons of the fake worker: times and memory by the formulas of its trials.
///
/// A fault of a size is committed before the first visit to the size; a fault that falsifies the answer is
/// committed when the answer is given.
class FakeComparison
{
public:
    /// \param behavior  outlives this object; its faults are used up
    explicit FakeComparison(FakeBehavior& behavior) : m_behavior(behavior) {}

    /// \param limit  memory limit [bytes]
    /// \param clock  time since the hello [s]; the time of the steps is added to it
    void answer(const trial::CompareRequest& request, std::int64_t limit, double& clock);
    void cancel(std::int64_t id);

private:
    bool visitAll(const trial::CompareRequest& request, std::int64_t limit, double& clock);
    bool mayBeginWith(std::int64_t size, std::int64_t limit);
    void visit(const trial::CompareRequest& request, trial::ComparedSize& size, double& clock);
    trial::TrialResult endedBy(trial::Outcome outcome, std::int64_t size) const;
    void falsify();

    FakeBehavior& m_behavior;
    std::int64_t m_comparisons = 0;
    /// Result of the current comparison.
    trial::TrialResult m_result;
    std::string m_falsification;
    int m_steps = 0;
    std::optional<trial::TrialResult> m_hanging;
    std::optional<trial::TrialResult> m_last;
};

} // namespace batchpeak::test

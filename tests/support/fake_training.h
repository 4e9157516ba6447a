// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fake_behavior.h"
#include "fake_speech.h"
#include "trial/protocol.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::test {

/// Distorts a good answer by the faults that trials and batches have in common.
///
/// \param result  a trial::TrialResult or a trial::BatchResult
/// \return whether the fault is one of them
template<typename Result>
bool distortAnswer(const std::string& fault, Result& result)
{
    if (fault == "wrong-id") {
        result.id += 1000;
    } else if (fault == "wrong-size") {
        ++result.microBatchSize;
    } else if (fault == "failed" || fault == "unsupported" || fault == "timeout" || fault == "oom") {
        result = {.id = result.id,
                  .microBatchSize = result.microBatchSize,
                  .outcome = *trial::fromText<trial::Outcome>(fault),
                  .text = "The fake worker was told to answer so."};
    } else if (fault == "lost-memory") {
        result.outcome = trial::Outcome::OutOfMemory;
        result.isLast = true;
    } else if (fault == "host-memory") {
        result.outcome = trial::Outcome::OutOfMemory;
        result.refusedHostBytes = std::int64_t{3} << 30;
    } else if (fault == "thrash") {
        result.allocationRetries = 3;
    } else {
        return false;
    }
    return true;
}

/// The training run of the fake worker: times, memory and losses by formulas.
///
/// The loss depends on the number of completed steps and on the samples, and not on the micro-batch size, so
/// that a test can see that a training run with failed attempts is the same as one without.
class FakeTraining
{
public:
    /// \param behavior  outlives this object; its faults are used up
    explicit FakeTraining(FakeBehavior& behavior) : m_behavior(behavior) {}

    void load(std::int64_t limit, std::int64_t tokensPerSample);
    // Answers a request; returns whether the process continues.
    bool answer(const trial::TrainingRequest& request);
    bool answer(const trial::BatchRequest& request);
    bool answer(const trial::SaveRequest& request);
    void cancel(std::int64_t id);

private:
    std::string faultFor(const trial::BatchRequest& request);
    void saySteps(const trial::BatchRequest& request) const;
    bool breaksDown(const std::string& fault, const trial::BatchRequest& request);
    trial::BatchResult resultOf(const trial::BatchRequest& request) const;
    static void distort(const std::string& fault, trial::BatchResult& result);
    double lossOf(const trial::BatchRequest& request) const;

    FakeBehavior& m_behavior;
    std::int64_t m_limit = 0;
    std::int64_t m_tokensPerSample = 0;
    std::int64_t m_stepsDone = 0;
    std::int64_t m_heldOut = 0;
    std::int64_t m_batches = 0;
    std::int64_t m_evaluations = 0;
    std::optional<trial::BatchRequest> m_hanging;
    std::optional<trial::BatchResult> m_last;
};

} // namespace batchpeak::test

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scripted_clock.h"
#include "worker/interruption.h"
#include "worker/trial_gate.h"
#include "worker/trial_steps.h"

#include <QByteArray>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace batchpeak::worker {

/// Steps of known duration. A scripted event happens at the step with its number, counted from 0.
class ScriptedSteps : public TrialSteps
{
public:
    explicit ScriptedSteps(ScriptedClock& clock) : m_clock(clock) {}

    void setInterrupted(std::function<bool()> interrupted) override
    {
        m_interrupted = std::move(interrupted);
    }

    std::optional<Interruption> prepare(std::int64_t microBatchSize) override
    {
        sizes.push_back(microBatchSize);
        flushes.push_back(m_taken);
        if (failsToPrepare)
            return network::Failure{
                .outcome = trial::Outcome::OutOfMemory, .neededBytes = 77, .text = "inputs"};
        return std::nullopt;
    }

    std::optional<Interruption> changeTo(std::int64_t microBatchSize) override
    {
        sizes.push_back(microBatchSize);
        return std::nullopt;
    }

    void resetPeaks() override { stepsBeforeReset = m_taken; }
    ChainOrInterruption run(int steps) override
    {
        chains.push_back(steps);
        network::StepChain chain;
        for (int i = 0; i < steps; ++i, ++m_taken) {
            if (m_taken == failingStep)
                return failure;
            const auto place = static_cast<std::size_t>(m_taken);
            const double seconds = place < first.size() ? first[place] : usual;
            m_clock.wall += seconds;
            if (m_interrupted())
                return Interrupted{};
            chain.steps.push_back({.forwardSeconds = 0.3 * seconds, .backwardSeconds = 0.6 * seconds});
            const bool isLeftOut = std::ranges::find(leftOut, m_taken) != leftOut.end();
            chain.lacksStep = chain.lacksStep || isLeftOut || m_taken >= leftOutFrom;
            chain.optimizerSeconds = chain.lacksStep ? 0.01 * seconds : 0.1 * seconds;
            chain.wallSeconds += seconds;
        }
        return chain;
    }

    MemoryReading memory() const override
    {
        return {.peakAllocatedBytes = 900,
                .peakReservedBytes = sizes.size() < 2 ? 1000 : 1000 + sizes.back(),
                .allocationRetries = 5 + (m_taken > retryingStep ? 1 : 0),
                .spilled = m_taken > spillingStep};
    }

    /// Durations of the first steps [s]; all other steps take `usual`.
    std::vector<double> first = {1.0, 0.2};
    double usual = 0.2;
    bool failsToPrepare = false;
    int spillingStep = 1000;
    int failingStep = -1;
    int retryingStep = 1000;
    /// Numbers of the steps in which the optimizer does not step.
    std::vector<int> leftOut;
    int leftOutFrom = 1'000'000;
    network::Failure failure{.outcome = trial::Outcome::OutOfMemory, .neededBytes = 5000, .text = "refused"};

    std::vector<int> chains;
    /// Sizes in the order in which inputs were created, and numbers of steps after which the cache was
    /// emptied.
    std::vector<std::int64_t> sizes;
    std::vector<int> flushes;
    int stepsBeforeReset = -1;

private:
    ScriptedClock& m_clock;
    std::function<bool()> m_interrupted;
    int m_taken = 0;
};

/// Gate that records its calls and reports disturbances.
class ScriptedGate : public TrialGate
{
public:
    explicit ScriptedGate(QByteArray& heard) : m_heard(heard) {}

    void begin() override { m_heard += "begin"; }
    void look() override { m_heard += " look"; }
    void pause() override { m_heard += " pause"; }
    void resume() override { m_heard += " resume"; }
    void end(int steps, GateReport& report) override
    {
        m_heard += " end:" + QByteArray::number(steps);
        report.readings.energyJoules = 12.0;
        report.readings.temperatureCelsius = 71.0;
        report.disturbances = {"heat", "noise"};
    }

private:
    QByteArray& m_heard;
};

/// Surroundings of a trial or a comparison that a test runs, and its reports.
struct ScriptedSurroundings
{
    /// \param cancelAfter  number of reported steps after which the request is canceled
    RequestContext context(int cancelAfter)
    {
        m_reported.clear();
        return {
            .report = [this](const trial::Step& step) { m_reported.push_back(step); },
            .cancelled = [this, cancelAfter] { return static_cast<int>(m_reported.size()) >= cancelAfter; },
            .helloSeconds = 90.0};
    }

    ScriptedClock m_clock;
    std::vector<trial::Step> m_reported;
    std::vector<std::unique_ptr<TrialGate>> m_gates;
};

} // namespace batchpeak::worker

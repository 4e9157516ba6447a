// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "failure.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::network {

class DeviceMemory;

/// Seconds of one micro-batch; without training, backwardSeconds is 0.
struct StepTimes
{
    double forwardSeconds = 0.0;
    double backwardSeconds = 0.0;

    double microBatchSeconds() const { return forwardSeconds + backwardSeconds; }
};

/// Steps that ran without a wait in between, and in training one optimizer step behind them.
struct StepChain
{
    std::vector<StepTimes> steps;
    std::optional<double> optimizerSeconds;
    /// The optimizer left its step out (OptimizerStep::hasLeftOutStep), so that its seconds are those of
    /// none.
    bool lacksStep = false;
    /// From an idle device to an idle device; with varying lengths of samples, of one micro-batch a step.
    double wallSeconds = 0.0;
    /// A step's times are the mean over so many micro-batches: above 1 where lengths of samples vary.
    int microBatchesPerStep = 1;

    double totalSeconds() const { return wallSeconds * microBatchesPerStep; }
};

/// Seconds of the computer's monotonic clock.
double steadySeconds();

/// What StepRunner would hold before its first step, without allocating anything [bytes].
///
/// \throws std::invalid_argument  a full sentence, where the network is impossible
std::int64_t requiredBaselineBytes(const trial::LoadRequest& request);

/// Runs steps of one network on one device as accumulation does: forward and in training backward, one
/// micro-batch behind the other, then the optimizer. An optimizer step behind each micro-batch would keep a
/// GPU busy while the next one is launched, and small sizes would look faster than they are.
///
/// It decides what a step is and how it is timed, and gets the device back in order after a failure.
/// It decides neither how many steps make a trial, nor what their times mean.
class StepRunner
{
public:
    /// Makes parameters, gradients and optimizer state on the device.
    ///
    /// \param memory  outlives the runner
    /// \param wallSeconds  the clock of the host
    /// \throws std::invalid_argument  a full sentence, where the network or the sequence length is
    ///         impossible; whatever libtorch throws where the device has not enough memory
    StepRunner(const trial::LoadRequest& request, DeviceMemory& memory,
               std::function<double()> wallSeconds = steadySeconds);
    ~StepRunner();
    StepRunner(const StepRunner&) = delete;
    StepRunner& operator=(const StepRunner&) = delete;

    std::int64_t parameters() const;
    /// Allocated when the runner was made: parameters, gradients, optimizer state, and what others
    /// held on the device's allocator before. On a GPU it grows once by its libraries' workspaces.
    std::int64_t baselineBytes() const;

    /// Asked between layers, forward and backward, on any thread; yes ends the step with Cancelled.
    void setCancelled(std::function<bool()> cancelled);

    /// Makes the inputs of micro-batches of this size, the same ones for the same seed and size, and
    /// starts the random numbers of dropout anew. Frees the inputs made before.
    void prepare(std::int64_t microBatchSize);

    /// Runs steps on the prepared inputs and waits for the device once, after the last. On the CPU
    /// the parts are timed by the steady clock, on a GPU by events on its stream.
    ///
    /// \throws Cancelled, or what libtorch throws; then recover() before anything else
    StepChain run(int steps);

    /// What computed attention first since prepare(); nothing before the first step, of networks that attend
    /// to nothing, and of TorchScript files.
    std::optional<model::Attention> attentionKernel() const;

    /// Mean cross entropy of the last step's forward pass, in nats a token.
    double loss() const;

    /// Brings device and gradients back to where they were before the failed step. Call it after the
    /// catch block is left. The inputs are gone: prepare() again.
    ///
    /// \return false if bytes stay lost or the device answers no more: then only a fresh process helps
    bool recover();

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace batchpeak::network

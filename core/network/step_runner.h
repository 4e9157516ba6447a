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

/// Seconds of one micro-batch; backwardSeconds is 0 in evaluation.
struct StepTimes
{
    double forwardSeconds = 0.0;
    double backwardSeconds = 0.0;

    double microBatchSeconds() const { return forwardSeconds + backwardSeconds; }
};

/// Steps that ran without a wait in between, followed by one optimizer step in training.
struct StepChain
{
    std::vector<StepTimes> steps;
    std::optional<double> optimizerSeconds;
    /// Whether the optimizer left its step out (OptimizerStep::hasLeftOutStep()), so that optimizerSeconds
    /// are not those of a step.
    bool lacksStep = false;
    /// Wall time from an idle device to an idle device. If sample lengths vary, it is that of one micro-batch
    /// per step.
    double wallSeconds = 0.0;
    /// Number of micro-batches that a step's times are the mean over: above 1 if sample lengths vary.
    int microBatchesPerStep = 1;

    double totalSeconds() const { return wallSeconds * microBatchesPerStep; }
};

/// Returns the seconds of the computer's monotonic clock.
double steadySeconds();

/// Returns the bytes that StepRunner would hold before its first step, without allocating anything.
///
/// \throws std::invalid_argument  if the network is impossible; the message is a full sentence
std::int64_t requiredBaselineBytes(const trial::LoadRequest& request);

/// Runs steps of one network on one device as gradient accumulation does: the forward and, in training,
/// backward passes of one micro-batch after the other, then the optimizer step. An optimizer step after each
/// micro-batch would keep a GPU busy while the next micro-batch is launched, and small sizes would look
/// faster than they are.
///
/// It decides what a step is and how it is timed, and restores the device after a failure. It decides neither
/// how many steps make a trial, nor what their times mean.
class StepRunner
{
public:
    /// Allocates parameters, gradients and optimizer state on the device.
    ///
    /// \param memory  must outlive the runner
    /// \param wallSeconds  clock of the host
    /// \throws std::invalid_argument  if the network or the sequence length is impossible, with a full
    ///         sentence as message; whatever libtorch throws if the device has not enough memory
    StepRunner(const trial::LoadRequest& request, DeviceMemory& memory,
               std::function<double()> wallSeconds = steadySeconds);
    ~StepRunner();
    StepRunner(const StepRunner&) = delete;
    StepRunner& operator=(const StepRunner&) = delete;

    std::int64_t parameters() const;
    /// Returns the bytes allocated when the runner was made: parameters, gradients, optimizer state, and
    /// whatever was allocated on the device before. On a GPU they grow once by the workspaces of its
    /// libraries.
    std::int64_t baselineBytes() const;

    /// Sets a callback that is called between layers, forward and backward, on any thread. If it returns
    /// true, the step ends with Cancelled.
    void setCancelled(std::function<bool()> cancelled);

    /// Makes the inputs of micro-batches of this size, the same ones for the same seed and size, and reseeds
    /// the random numbers of dropout. Frees the inputs made before.
    void prepare(std::int64_t microBatchSize);

    /// Runs steps on the prepared inputs and waits for the device once, after the last step. On the CPU the
    /// parts are timed by the steady clock, on a GPU by events on its stream.
    ///
    /// \throws Cancelled, or whatever libtorch throws; then call recover() before anything else
    StepChain run(int steps);

    /// Returns the kernel that computed attention first since prepare(); nothing before the first step, for
    /// networks without attention, and for TorchScript files.
    std::optional<model::Attention> attentionKernel() const;

    /// Mean cross entropy of the last step's forward pass, in nats per token.
    double loss() const;

    /// Restores device and gradients to their state before the failed step. Call it after the catch block is
    /// left. The inputs are gone: call prepare() again.
    ///
    /// \return false if bytes stay lost or the device no longer responds: then only a fresh process helps
    bool recover();

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace batchpeak::network

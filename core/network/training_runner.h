// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "failure.h"
#include "trial/training.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace batchpeak::network {

class DeviceMemory;

/// Measurements of a batch that is done.
struct BatchDone
{
    /// Weighted mean over the batch [nats], before the optimizer step.
    double loss = 0.0;
    /// Seconds until the device is idle, optimizer step included. Making the samples counts only if a GPU
    /// makes them: images, and inputs of TorchScript files.
    double seconds = 0.0;
    /// Seconds of the optimizer step; 0 in evaluation.
    double optimizerSeconds = 0.0;
    std::int64_t countedTargets = 0;
};

/// Trains one network on one device: whole batches of real samples, split into micro-batches whose gradients
/// are accumulated, and one optimizer step per batch; or the forward pass alone, for evaluation.
///
/// It decides how a batch is computed, and makes sure that a failed batch leaves no trace. It decides neither
/// which batch comes next, nor with which micro-batch size it is retried.
class TrainingRunner
{
public:
    /// Makes parameters, gradients and optimizer state on the device, as StepRunner does from the same seed,
    /// or reads them from the request's checkpoint.
    ///
    /// \param memory  must outlive the runner
    /// \throws std::invalid_argument  if the network is impossible or was loaded for evaluation, with a full
    ///         sentence as message; data::DataError, CheckpointError, or whatever libtorch throws if the
    ///         device has not enough memory
    TrainingRunner(const trial::LoadRequest& load, const trial::TrainingRequest& training,
                   DeviceMemory& memory);
    ~TrainingRunner();
    TrainingRunner(const TrainingRunner&) = delete;
    TrainingRunner& operator=(const TrainingRunner&) = delete;

    trial::TrainingReady ready() const;
    std::int64_t baselineBytes() const;

    /// Sets a callback that is called between layers, forward and backward, on any thread. If it returns
    /// true, the batch ends with Cancelled.
    void setCancelled(std::function<bool()> cancelled);
    /// Sets a callback that is called for each micro-batch that was given to the device, with the number of
    /// this batch's micro-batches so far.
    void setMicroBatchDone(std::function<void(std::int64_t)> done);

    /// Runs a batch. Only one micro-batch's samples are on the device at a time. Resets the peaks of the
    /// device's memory first, and waits for the device at the end.
    ///
    /// \throws Cancelled, UnsupportedStep, or whatever libtorch throws; then call recover() before anything
    ///         else
    BatchDone run(const trial::BatchRequest& batch);

    /// Restores the training to its state before the failed batch, on the CPU bit for bit. Call it after the
    /// catch block is left.
    ///
    /// \return false if bytes stay lost, the device no longer responds, or the optimizer step had been done:
    ///         then the training is lost
    bool recover();

    /// Writes everything that the training has changed, so that it can be resumed with the same requests: on
    /// the CPU bit for bit as if it had never ended, as long as the processor computes the same product
    /// identically each time. A matrix unit (Intel AMX) may not do that for operands of two bytes. Call it
    /// only between batches.
    ///
    /// \return size of the file in bytes
    /// \throws CheckpointError
    std::int64_t save(const std::string& path) const;

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace batchpeak::network

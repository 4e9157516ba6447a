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

/// What a batch that was done has measured.
struct BatchDone
{
    /// Weighted mean over the batch [nats], before the optimizer step.
    double loss = 0.0;
    /// From the first sample's making until the device is idle.
    double seconds = 0.0;
    /// 0 in evaluation.
    double optimizerSeconds = 0.0;
    std::int64_t countedTargets = 0;
};

/// Trains one network on one device: whole batches of real samples, cut into micro-batches whose gradients
/// add up, and one optimizer step each; or forward alone, for evaluation.
///
/// It decides how a batch is computed, and that one that fails leaves no trace. It decides neither which
/// batch comes next, nor at which micro-batch size it is tried again.
class TrainingRunner
{
public:
    /// Makes parameters, gradients and optimizer state on the device, as StepRunner does from the same seed,
    /// or reads them from the request's checkpoint.
    ///
    /// \param memory  outlives the runner
    /// \throws std::invalid_argument  a full sentence, where the network is impossible or was loaded for
    ///         evaluation; data::DataError, CheckpointError, or what libtorch throws where the device has
    ///         not enough memory
    TrainingRunner(const trial::LoadRequest& load, const trial::TrainingRequest& training,
                   DeviceMemory& memory);
    ~TrainingRunner();
    TrainingRunner(const TrainingRunner&) = delete;
    TrainingRunner& operator=(const TrainingRunner&) = delete;

    trial::TrainingReady ready() const;
    std::int64_t baselineBytes() const;

    /// Asked between layers, forward and backward, on any thread; yes ends the batch with Cancelled.
    void setCancelled(std::function<bool()> cancelled);
    /// Told of each micro-batch that was given to the device, by how many of the batch these are now.
    void setMicroBatchDone(std::function<void(std::int64_t)> done);

    /// Only one micro-batch's samples are on the device at a time. Resets the peaks of the device's memory
    /// before, and waits for the device in the end.
    ///
    /// \throws Cancelled, UnsupportedStep, or what libtorch throws; then recover() before anything else
    BatchDone run(const trial::BatchRequest& batch);

    /// Brings the training back to where it was before the batch that failed, on the CPU bit for bit. Call it
    /// after the catch block is left.
    ///
    /// \return false if bytes stay lost, the device answers no more, or the optimizer step had been done:
    ///         the training is lost then
    bool recover();

    /// Writes all that the training has changed, to be gone on from with the same requests: on the CPU bit
    /// for bit as if it had never ended, as far as the processor computes the same product alike each time,
    /// which a matrix unit (Intel AMX) may not do for operands of two bytes. Only between batches.
    ///
    /// \return bytes of the file
    /// \throws CheckpointError
    std::int64_t save(const std::string& path) const;

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace batchpeak::network

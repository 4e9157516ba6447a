// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network.h"
#include "optimizers/flat_parameters.h"
#include "optimizers/optimizer_step.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::network {

class DeviceMemory;

/// A network on a device with everything that it holds between steps: parameters, gradients, optimizer state.
/// StepRunner and TrainingRunner share it.
///
/// It knows how one forward pass runs, and how the device is restored after a failure. It decides neither
/// what a step is, nor on which samples it runs.
class LoadedNetwork
{
public:
    /// \param memory  must outlive the network
    /// \throws std::invalid_argument  if the network or the sequence length is impossible, with a full
    ///         sentence as message; whatever libtorch throws if the device has not enough memory
    LoadedNetwork(const trial::LoadRequest& request, DeviceMemory& memory,
                  double learningRate = OptimizerStep::defaultLearningRate);
    /// Returns the bytes that a loaded network would hold, without allocating anything.
    /// \throws std::invalid_argument  if the network is impossible; the message is a full sentence
    static std::int64_t requiredBytes(const trial::LoadRequest& request);

    LoadedNetwork(const LoadedNetwork&) = delete;
    LoadedNetwork& operator=(const LoadedNetwork&) = delete;

    const trial::LoadRequest& request() const { return m_request; }
    at::Device device() const { return m_device; }
    DeviceMemory& memory() const { return m_memory; }
    FlatParameters& parameters() { return *m_parameters; }
    Network& network() const { return *m_network; }
    /// Returns null if the network was loaded for evaluation.
    OptimizerStep* optimizer() { return m_optimizer ? &*m_optimizer : nullptr; }
    /// Whether the backward pass updates the parameters, after OptimizerStep::beginUpdates(); otherwise
    /// OptimizerStep::run() does.
    bool updatesInBackward() const;

    /// Sets a callback that is called between layers, forward and backward, on any thread. If it returns
    /// true, the step ends with Cancelled.
    void setCancelled(std::function<bool()> cancelled) { m_cancelled = std::move(cancelled); }

    /// Returns the loss of a micro-batch, a scalar; see Network::loss().
    at::Tensor forward(const Batch& batch, double normalizer);

    /// Returns everything that a training changes, sharing its memory: parameters by the names of their
    /// table, optimizer state as torch.optim names it ("optimizer.exp_avg.NAME"), and the statistics of batch
    /// normalization. Only for a network that was loaded for training.
    std::vector<NamedTensor> trainedTensors() const;

    /// Waits for the device, empties its cache, and takes the bytes allocated then as those that are held
    /// between steps. Call it after the owner has made its own tensors.
    void measureBaseline();
    /// Takes the bytes allocated now as those that are held between steps: a GPU's libraries keep workspaces
    /// from their first products on, which are no leak of a failure. Call it between steps that succeeded.
    void admitWorkspaces();
    std::int64_t baselineBytes() const { return m_baselineBytes; }

    /// Restores device and gradients to their state before a failed step. Call it after the catch block is
    /// left, when no tensor of the step exists any more.
    ///
    /// \return false if bytes stay lost or the device no longer responds: then only a fresh process helps
    bool recover();

private:
    bool restore();

    const trial::LoadRequest m_request;
    DeviceMemory& m_memory;
    at::Device m_device;
    std::function<bool()> m_cancelled;
    std::int64_t m_baselineBytes = 0;
    std::optional<FlatParameters> m_parameters;
    std::unique_ptr<Network> m_network;
    std::optional<OptimizerStep> m_optimizer;
};

} // namespace batchpeak::network

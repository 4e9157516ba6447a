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

/// A network on a device with all that it holds between steps: parameters, gradients, optimizer state. What
/// StepRunner and TrainingRunner share.
///
/// It knows how one forward pass runs and how the device gets back in order after a failure. It decides
/// neither what a step is, nor on which samples.
class LoadedNetwork
{
public:
    /// \param memory  outlives it
    /// \throws std::invalid_argument  a full sentence, where the network or the sequence length is
    ///         impossible; whatever libtorch throws where the device has not enough memory
    LoadedNetwork(const trial::LoadRequest& request, DeviceMemory& memory,
                  double learningRate = OptimizerStep::defaultLearningRate);
    /// What one would hold, without allocating anything [bytes].
    /// \throws std::invalid_argument  a full sentence, where the network is impossible
    static std::int64_t requiredBytes(const trial::LoadRequest& request);

    LoadedNetwork(const LoadedNetwork&) = delete;
    LoadedNetwork& operator=(const LoadedNetwork&) = delete;

    const trial::LoadRequest& request() const { return m_request; }
    at::Device device() const { return m_device; }
    DeviceMemory& memory() const { return m_memory; }
    FlatParameters& parameters() { return *m_parameters; }
    Network& network() const { return *m_network; }
    /// Null where the network was loaded for evaluation.
    OptimizerStep* optimizer() { return m_optimizer ? &*m_optimizer : nullptr; }
    /// Backward steps, behind OptimizerStep::beginUpdates(); else OptimizerStep::run() does.
    bool updatesInBackward() const;

    /// Asked between layers, forward and backward, on any thread; yes ends the step with Cancelled.
    void setCancelled(std::function<bool()> cancelled) { m_cancelled = std::move(cancelled); }

    /// The loss of a micro-batch, a scalar; see Network::loss.
    at::Tensor forward(const Batch& batch, double normalizer);

    /// All that a training changes, sharing its memory: parameters by the names of their table, optimizer
    /// state as torch.optim names it ("optimizer.exp_avg.NAME"), and statistics of batch normalization. Only
    /// of a network that was loaded for training.
    std::vector<NamedTensor> trainedTensors() const;

    /// Waits for the device, empties its cache and takes what is allocated then for what is held between
    /// steps. Call it when the owner has made its own tensors.
    void measureBaseline();
    /// A GPU's libraries keep workspaces from their first products on, which are no leak of a failure: takes
    /// what is allocated now for what is held between steps. Call it between steps that succeeded.
    void admitWorkspaces();
    std::int64_t baselineBytes() const { return m_baselineBytes; }

    /// Brings device and gradients back to where they were before a failed step. Call it after the catch
    /// block is left, and without any tensor of the step.
    ///
    /// \return false if bytes stay lost or the device answers no more: then only a fresh process helps
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

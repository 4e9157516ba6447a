// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "network/device_memory.h"
#include "network/failure.h"
#include "network/step_runner.h"
#include "trial/protocol.h"
#include "trial/step_statistics.h"
#include "trial_clock.h"
#include "trial_gate.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace batchpeak::worker {

/// Why a network could not be loaded or made ready to train, as a full sentence.
struct LoadProblem
{
    std::string text;
    /// Whether only a fresh process can continue.
    bool sticky = false;
};

/// Returns what a failure of the device or of the computer means for the request to load or train a network.
LoadProblem problemOf(const network::Failure& failure);

/// Whether the device's own memory was too small.
bool isOutOfDeviceMemory(const network::Failure& failure);

/// A loaded network: the request for it, and the answer.
struct LoadedNetworkRequest
{
    trial::LoadRequest request;
    trial::Loaded loaded;
};

/// The network that trials run on, or the fact that not even its parameters fit.
class LoadState
{
public:
    /// \param memory, clock, gates  outlive it; the gates watch every trial
    LoadState(network::DeviceMemory& memory, const TrialClock& clock, TrialGates gates)
        : m_memory(memory), m_clock(clock), m_gates(gates)
    {}

    /// Loads a network, which replaces the one loaded before.
    std::variant<trial::Loaded, LoadProblem> load(const trial::LoadRequest& request);
    bool isLoaded() const { return m_loaded.has_value(); }
    /// Frees the network, so that a training run can hold it instead; no network is loaded afterward.
    /// \return nothing if no network was loaded
    std::optional<LoadedNetworkRequest> handOver();

    /// Runs a trial or a comparison. If not even the parameters fit, it answers so at once.
    Answer<trial::TrialResult> run(const trial::TrialRequest& request, const RequestContext& context);
    Answer<trial::TrialResult> run(const trial::CompareRequest& request, const RequestContext& context);
    /// \return false if only a fresh process helps
    bool recover();

private:
    Answer<trial::TrialResult> notEvenRun(std::int64_t id, std::int64_t microBatchSize) const;
    void addError(trial::TrialResult& result);
    void drop();
    trial::Loaded notEvenLoaded(std::int64_t neededBytes);

    network::DeviceMemory& m_memory;
    const TrialClock& m_clock;
    const TrialGates m_gates;
    trial::LoadRequest m_request;
    /// The answer to the last load; absent if it did not succeed.
    std::optional<trial::Loaded> m_loaded;
    std::unique_ptr<network::StepRunner> m_runner;
    trial::RunScatter m_scatter;
};

} // namespace batchpeak::worker

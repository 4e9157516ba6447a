// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load_problem.h"
#include "network/device_memory.h"
#include "network_steps.h"
#include "trial/protocol.h"
#include "trial/run_scatter.h"
#include "trial_runner.h"

#include <memory>
#include <optional>
#include <variant>

namespace batchpeak::worker {

/// A network that was loaded: as it was asked for, and what came of it.
struct LoadedNetworkRequest
{
    trial::LoadRequest request;
    trial::Loaded loaded;
};

/// The network that trials run on, or the knowledge that not even its parameters fit.
class LoadState
{
public:
    explicit LoadState(network::DeviceMemory& memory) : m_memory(memory) {}

    /// Takes the place of what was loaded before.
    std::variant<trial::Loaded, LoadProblem> load(const trial::LoadRequest& request);
    bool isLoaded() const { return m_loaded.has_value(); }
    /// Frees the network, so that a training can hold it instead; nothing is loaded then.
    /// \return nothing where nothing was
    std::optional<LoadedNetworkRequest> handOver();

    /// Runs a trial; where not even the parameters fit, it answers so at once.
    TrialEnd runTrial(const trial::TrialRequest& request, const TrialClock& clock,
                      const TrialContext& context);
    /// \return false if only a fresh process helps
    bool recover();

private:
    void addError(trial::TrialResult& result);
    void drop();
    trial::Loaded notEvenLoaded(std::int64_t neededBytes);

    network::DeviceMemory& m_memory;
    trial::LoadRequest m_request;
    /// Of the last load; absent where none succeeded.
    std::optional<trial::Loaded> m_loaded;
    std::unique_ptr<network::StepRunner> m_runner;
    trial::RunScatter m_scatter;
};

} // namespace batchpeak::worker

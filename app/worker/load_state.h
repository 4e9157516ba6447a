// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_memory.h"
#include "network_steps.h"
#include "protocol.h"
#include "run_scatter.h"
#include "trial_runner.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace batchpeak::worker {

/// Why a network could not be loaded, as a full sentence.
struct LoadProblem
{
    std::string text;
    /// Only a fresh process can go on.
    bool sticky = false;
};

/// The network that trials run on, or the knowledge that not even its parameters fit.
class LoadState
{
public:
    explicit LoadState(network::DeviceMemory& memory) : m_memory(memory) {}

    /// Takes the place of what was loaded before.
    std::variant<trial::Loaded, LoadProblem> load(const trial::LoadRequest& request);
    bool isLoaded() const { return m_loaded.has_value(); }

    /// Runs a trial; where not even the parameters fit, it answers so at once.
    TrialEnd runTrial(const trial::TrialRequest& request, const TrialClock& clock,
                      const TrialSurroundings& surroundings);
    /// \return false if only a fresh process helps
    bool recover();

private:
    void stateErrorOf(trial::TrialResult& result);
    trial::Loaded notEvenLoaded(const trial::LoadRequest& request, std::int64_t neededBytes);

    network::DeviceMemory& m_memory;
    /// Of the last load; absent where none succeeded.
    std::optional<trial::Loaded> m_loaded;
    std::unique_ptr<network::StepRunner> m_runner;
    trial::RunScatter m_scatter;
};

} // namespace batchpeak::worker

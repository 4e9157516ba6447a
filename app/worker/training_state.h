// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "load_state.h"
#include "network/training_runner.h"
#include "trial/protocol.h"
#include "trial_clock.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace batchpeak::worker {

/// The training that batches belong to, or the knowledge that not even its parameters fit.
class TrainingState
{
public:
    TrainingState(network::DeviceMemory& memory, const TrialClock& clock) : m_memory(memory), m_clock(clock)
    {}

    /// Takes the place of what was trained before.
    /// \param network  what was loaded, and is made anew here: nothing else may hold it now
    std::variant<trial::TrainingReady, LoadProblem> begin(const LoadedNetworkRequest& network,
                                                          const trial::TrainingRequest& training);
    void end();
    /// A batch can be answered.
    bool hasBegun() const { return m_runner || m_unfitBytes; }
    /// There is something to save.
    bool isReady() const { return m_runner != nullptr; }

    /// Where not even the parameters fit, it answers so at once. Of its micro-batches some are reported, at
    /// most ten times a second.
    Answer<trial::BatchResult> run(const trial::BatchRequest& batch, const RequestContext& context);
    Answer<trial::Saved> save(const trial::SaveRequest& request) const;
    /// \return false if only a fresh process helps, which begins the training anew
    bool recover();

private:
    LoadProblem notEvenParameters(std::int64_t neededBytes);
    std::function<void(std::int64_t)> reporter(std::int64_t id, const RequestContext& context) const;
    void addMemory(trial::BatchResult& result, std::int64_t retriesBefore) const;

    network::DeviceMemory& m_memory;
    const TrialClock& m_clock;
    std::unique_ptr<network::TrainingRunner> m_runner;
    /// What it would hold, where that does not fit.
    std::optional<std::int64_t> m_unfitBytes;
};

} // namespace batchpeak::worker

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

/// The training run that batches belong to, or the fact that not even its parameters fit.
class TrainingState
{
public:
    TrainingState(network::DeviceMemory& memory, const TrialClock& clock) : m_memory(memory), m_clock(clock)
    {}

    /// Begins a training run, which replaces the previous one.
    /// \param network  the network that was loaded and is created anew here; nothing else may hold it now
    std::variant<trial::TrainingReady, LoadProblem> begin(const LoadedNetworkRequest& network,
                                                          const trial::TrainingRequest& training);
    void end();
    /// Whether a batch can be answered.
    bool hasBegun() const { return m_runner || m_unfitBytes; }
    /// Whether there is something to save.
    bool isReady() const { return m_runner != nullptr; }

    /// Runs a batch. If not even the parameters fit, it answers so at once. Some of the micro-batches are
    /// reported, at most ten times a second.
    Answer<trial::BatchResult> run(const trial::BatchRequest& batch, const RequestContext& context);
    Answer<trial::Saved> save(const trial::SaveRequest& request) const;
    /// \return false if only a fresh process helps, which begins the training run anew
    bool recover();

private:
    LoadProblem notEvenParameters(std::int64_t neededBytes);
    std::function<void(std::int64_t)> reporter(std::int64_t id, const RequestContext& context) const;
    void addMemory(trial::BatchResult& result, std::int64_t retriesBefore) const;

    network::DeviceMemory& m_memory;
    const TrialClock& m_clock;
    std::unique_ptr<network::TrainingRunner> m_runner;
    /// Bytes that the training run would hold, if they do not fit.
    std::optional<std::int64_t> m_unfitBytes;
};

} // namespace batchpeak::worker

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "load_problem.h"
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

/// What a batch has to do with the rest of the worker.
struct BatchContext
{
    /// Told of some of its micro-batches, at most ten times a second.
    std::function<void(const trial::Step&)> report;
    /// The parent has cancelled this batch; asked from any thread.
    std::function<bool()> cancelled;
};

/// A batch and the failure that ended it, if one did: the training is then not fit for another before it
/// has recovered.
struct BatchEnd
{
    trial::BatchResult result;
    std::optional<Interruption> interruption;
};

/// A checkpoint, and the failure that kept it from being written, if one did.
struct SaveEnd
{
    trial::Saved result;
    std::optional<Interruption> interruption;
};

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

    /// Where not even the parameters fit, it answers so at once.
    BatchEnd runBatch(const trial::BatchRequest& batch, const BatchContext& context);
    SaveEnd save(const trial::SaveRequest& request) const;
    /// \return false if only a fresh process helps, which begins the training anew
    bool recover();

private:
    LoadProblem notEvenParameters(std::int64_t neededBytes);
    std::function<void(std::int64_t)> reporter(std::int64_t id, const BatchContext& context) const;
    void addMemory(trial::BatchResult& result, std::int64_t retriesBefore) const;

    network::DeviceMemory& m_memory;
    const TrialClock& m_clock;
    std::unique_ptr<network::TrainingRunner> m_runner;
    /// What it would hold, where that does not fit.
    std::optional<std::int64_t> m_unfitBytes;
};

} // namespace batchpeak::worker

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load_state.h"
#include "protocol_channel.h"
#include "training_state.h"
#include "trial/protocol.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace batchpeak::worker {

/// The conversation with the parent: hello, load, trials and comparisons or a training run with its batches,
/// bye, in that order. Any other message is answered by an error line and has no other effect.
class Session
{
public:
    /// \param hello  answer to the parent's hello
    /// \param gates  watch every trial
    Session(ProtocolChannel& channel, network::DeviceMemory& memory, trial::WorkerHello hello,
            const TrialClock& clock, TrialGates gates)
        : m_channel(channel),
          m_clock(clock),
          m_load(memory, clock, gates),
          m_training(memory, clock),
          m_hello(std::move(hello))
    {}

    /// \return the exit code, once the conversation is over
    int run();

private:
    /// Each handle() returns the exit code if the conversation ends with this message.
    std::optional<int> handle(const trial::ProtocolError& error);
    std::optional<int> handle(const trial::Hello& hello);
    std::optional<int> handle(const trial::LoadRequest& request);
    std::optional<int> handle(const trial::TrialRequest& request);
    std::optional<int> handle(const trial::CompareRequest& request);
    std::optional<int> handle(const trial::TrainingRequest& request);
    std::optional<int> handle(const trial::BatchRequest& request);
    std::optional<int> handle(const trial::SaveRequest& request);
    std::optional<int> handle(const trial::Heartbeat& heartbeat);
    std::optional<int> handle(const trial::Cancel& cancel);
    std::optional<int> handle(const trial::Bye& bye);
    /// Returns the context of the trial or batch with that id.
    RequestContext contextOf(std::int64_t id);
    /// Sends how a trial or a batch ended, once \p state has recovered from it.
    template<typename Result, typename State>
    std::optional<int> send(Answer<Result> answer, State& state);
    std::optional<int> complain(const char* text);
    std::optional<int> complain(const LoadProblem& problem);
    int endWith(int exitCode, std::string text);

    ProtocolChannel& m_channel;
    const TrialClock& m_clock;
    LoadState m_load;
    TrainingState m_training;
    trial::WorkerHello m_hello;
    double m_helloSeconds = 0.0;
    bool m_greeted = false;
};

} // namespace batchpeak::worker

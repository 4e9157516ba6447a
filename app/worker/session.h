// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "inbox.h"
#include "load_state.h"
#include "protocol_channel.h"
#include "training_state.h"

namespace batchpeak::worker {

/// The conversation with the parent: hello, load, trials or a training with its batches, bye, in that order;
/// whatever else is said is answered by an error line and nothing more.
class Session
{
public:
    /// \param hello  what is answered to the parent's
    /// \param gates  watch every trial
    Session(Inbox& inbox, ProtocolChannel& channel, network::DeviceMemory& memory, trial::WorkerHello hello,
            const TrialClock& clock, std::span<const std::unique_ptr<TrialGate>> gates)
        : m_inbox(inbox),
          m_channel(channel),
          m_load(memory),
          m_training(memory, clock),
          m_hello(std::move(hello)),
          m_clock(clock),
          m_gates(gates)
    {}

    /// \return the exit code, once the conversation is over
    int run();

private:
    /// Each returns the exit code where the conversation ends with this message.
    std::optional<int> handle(const trial::ProtocolError& error);
    std::optional<int> handle(const trial::Hello& hello);
    std::optional<int> handle(const trial::LoadRequest& request);
    std::optional<int> handle(const trial::TrialRequest& request);
    std::optional<int> handle(const trial::TrainingRequest& request);
    std::optional<int> handle(const trial::BatchRequest& request);
    std::optional<int> handle(const trial::SaveRequest& request);
    std::optional<int> handle(const trial::Cancel& cancel);
    std::optional<int> handle(const trial::Bye& bye);
    /// Says how a trial or a batch ended, once \p state has recovered from it.
    template<typename End, typename State>
    std::optional<int> answer(End end, State& state);
    std::optional<int> complain(const char* text);
    std::optional<int> complain(const LoadProblem& problem);
    int endWith(int exitCode, std::string text);

    Inbox& m_inbox;
    ProtocolChannel& m_channel;
    LoadState m_load;
    TrainingState m_training;
    trial::WorkerHello m_hello;
    const TrialClock& m_clock;
    std::span<const std::unique_ptr<TrialGate>> m_gates;
    bool m_greeted = false;
};

} // namespace batchpeak::worker

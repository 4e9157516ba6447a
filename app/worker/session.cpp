// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace batchpeak::worker {

int Session::run()
{
    for (;;) {
        ReceivedLine line = m_channel.next();
        const auto* message = std::get_if<trial::ParentMessage>(&line);
        const std::optional<int> exitCode =
            message ? std::visit([this](const auto& value) { return handle(value); }, *message)
                    : handle(std::get<trial::ProtocolError>(line));
        if (exitCode)
            return *exitCode;
    }
}

std::optional<int> Session::handle(const trial::ProtocolError& error)
{
    return complain(error.text.c_str());
}

std::optional<int> Session::handle(const trial::Hello& hello)
{
    m_greeted = true;
    m_helloSeconds = m_clock.wallSeconds();
    m_hello.protocol = std::min(hello.protocol, trial::protocolVersion);
    m_channel.send(m_hello);
    return std::nullopt;
}

std::optional<int> Session::handle(const trial::Heartbeat& /*heartbeat*/)
{
    return std::nullopt;
}

std::optional<int> Session::handle(const trial::LoadRequest& request)
{
    if (!m_greeted)
        return complain("A load must come after hello.");
    m_training.end();
    const auto loaded = m_load.load(request);
    if (const auto* problem = std::get_if<LoadProblem>(&loaded))
        return complain(*problem);
    m_channel.send(std::get<trial::Loaded>(loaded));
    return std::nullopt;
}

std::optional<int> Session::handle(const trial::TrialRequest& request)
{
    if (!m_load.isLoaded())
        return complain("A trial must come after a load that succeeded.");
    Answer<trial::TrialResult> answer = m_load.run(request, contextOf(request.id));
    if (m_hello.protocol == trial::firstProtocolVersion)
        answer.result.clockSeconds.reset();
    return send(std::move(answer), m_load);
}

std::optional<int> Session::handle(const trial::CompareRequest& request)
{
    if (!m_greeted || !trial::knowsComparisons(m_hello.protocol))
        return complain("A comparison needs version 2 of the trial protocol; say so in the hello.");
    if (!m_load.isLoaded())
        return complain("A comparison must come after a load that succeeded.");
    return send(m_load.run(request, contextOf(request.id)), m_load);
}

std::optional<int> Session::handle(const trial::TrainingRequest& request)
{
    const auto network = m_load.handOver();
    if (!network)
        return complain("A training must come after a load that succeeded.");
    const auto ready = m_training.begin(*network, request);
    if (const auto* problem = std::get_if<LoadProblem>(&ready))
        return complain(*problem);
    m_channel.send(std::get<trial::TrainingReady>(ready));
    return std::nullopt;
}

std::optional<int> Session::handle(const trial::BatchRequest& request)
{
    if (!m_training.hasBegun())
        return complain("A batch must come after a training that is ready.");
    return send(m_training.run(request, contextOf(request.id)), m_training);
}

std::optional<int> Session::handle(const trial::SaveRequest& request)
{
    if (!m_training.isReady())
        return complain("A save must come after a training that is ready.");
    const Answer<trial::Saved> answer = m_training.save(request);
    if (const network::Failure* failure = stickyFailure(answer.interruption))
        return endWith(ExitCode::StickyDeviceError, failure->text);
    m_channel.send(answer.result);
    return std::nullopt;
}

RequestContext Session::contextOf(std::int64_t id)
{
    return {.report = [this](const trial::Step& step) { m_channel.send(step); },
            .cancelled = [this, id] { return m_channel.isCancelled(id); },
            .helloSeconds = m_helloSeconds};
}

template<typename Result, typename State>
std::optional<int> Session::send(Answer<Result> answer, State& state)
{
    // No result is sent: the parent repeats the request in a fresh worker.
    if (const network::Failure* failure = stickyFailure(answer.interruption))
        return endWith(ExitCode::StickyDeviceError, failure->text);

    answer.result.isLast = answer.interruption && !state.recover();
    if (answer.result.isLast) {
        m_channel.send(trial::Log{
            .level = trial::LogLevel::Warning,
            .text = "The device did not get all of its memory back after the step; a fresh worker will."});
    }
    m_channel.send(answer.result);
    return answer.result.isLast ? std::optional<int>(ExitCode::MemoryLost) : std::nullopt;
}

// The channel handles cancels itself.
std::optional<int> Session::handle(const trial::Cancel&)
{
    return std::nullopt;
}

std::optional<int> Session::handle(const trial::Bye&)
{
    return ExitCode::Finished;
}

std::optional<int> Session::complain(const char* text)
{
    m_channel.send(trial::WorkerError{.text = text});
    return std::nullopt;
}

std::optional<int> Session::complain(const LoadProblem& problem)
{
    if (problem.sticky)
        return endWith(ExitCode::StickyDeviceError, problem.text);
    return complain(problem.text.c_str());
}

int Session::endWith(int exitCode, std::string text)
{
    m_channel.send(trial::WorkerError{.text = std::move(text), .fatal = true});
    return exitCode;
}

} // namespace batchpeak::worker

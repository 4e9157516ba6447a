// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_speech.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace batchpeak::test {

namespace {

using Json = nlohmann::json;

// The delay exceeds the time limits of tests whose worker is late.
constexpr std::chrono::seconds lateBy{5};

// The state is global, since a process has one standard output.
struct Speech
{
    FakeBehavior* behavior = nullptr;
    std::int64_t size = 0;
    std::map<std::string, std::int64_t> said;
    std::map<std::string, std::string> last;
};
Speech& speech()
{
    static Speech one;
    return one;
}

void write(const std::string& text)
{
    static std::mutex sending;
    const std::lock_guard lock(sending);
    std::cout << text << std::flush;
}

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::atomic<double>& lastHeard()
{
    static std::atomic<double> moment = now();
    return moment;
}

bool hasUnreadInput()
{
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

/// Commits the fault if it ends, stops or delays the process.
void endOrDelayProcess(const std::string& fault)
{
    constexpr std::string_view exits = "exit";
    constexpr std::string_view signals = "signal";
    if (fault.starts_with(exits))
        std::_Exit(std::stoi(fault.substr(exits.size())));
    if (fault.starts_with(signals)) {
        const int number = std::stoi(fault.substr(signals.size()));
        // A sanitizer may have installed its own handler.
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
    while (fault == "hang")
        pause();
    if (fault == "late")
        std::this_thread::sleep_for(lateBy);
}

/// Returns a spoiled number, as written by a JSON library that does not check whether JSON can represent the
/// number or whether it makes sense.
std::optional<std::string> numberFor(const std::string& fault, const Json& said)
{
    const bool isInteger = said.is_number_integer();
    if (fault == "nan")
        return "NaN";
    if (fault == "infinite")
        return "1e999";
    if (fault == "negative")
        return isInteger ? "-1" : "-0.5";
    if (fault == "huge")
        return isInteger ? "9223372036854775807" : "1e300";
    if (fault == "largest")
        return "2147483647";
    if (fault == "tiny")
        return "1e-300";
    if (fault == "hundredfold")
        return isInteger ? std::to_string(100 * said.get<std::int64_t>())
                         : Json(100.0 * said.get<double>()).dump();
    return std::nullopt;
}

std::string withNumber(const Fault& fault, const std::string& line)
{
    constexpr std::string_view place = "\"here\"";
    Json message = Json::parse(line);
    Json& field = message[Json::json_pointer(fault.field)];
    const auto number = numberFor(fault.name, field);
    if (!number)
        return line;
    field = "here";
    std::string text = message.dump();
    return text.replace(text.find(place), place.size(), *number) + '\n';
}

/// Pads the line to the largest allowed length with an unknown field.
std::string asLongAsAllowed(const std::string& line)
{
    Json message = Json::parse(line);
    message["ignored"] = "";
    const std::size_t there = message.dump().size();
    message["ignored"] = std::string(trial::maxLineBytes - there, 'x');
    return message.dump() + '\n';
}

std::string withOtherText(const Fault& fault, const std::string& line)
{
    Json message = Json::parse(line);
    Json& field = message[Json::json_pointer(fault.field)];
    field = field.get<std::string>() + " II";
    return message.dump() + '\n';
}

/// Returns the line of a program that reports only the number of its steps, which is wrong.
std::string withWrongStepCount(const std::string& line)
{
    Json message = Json::parse(line);
    message["steps"] = 2'000'000'000;
    message.erase("step_seconds");
    message.erase("samples");
    return message.dump() + '\n';
}

/// Returns the line of a program that was asked to cancel.
std::string asCancelled(const std::string& line)
{
    Json message = Json::parse(line);
    message["outcome"] = "cancelled";
    if (!message.contains("micro_batch_size"))
        message["micro_batch_size"] = message["compared"][0]["micro_batch_size"];
    return message.dump() + '\n';
}

std::string withOtherId(const std::string& line)
{
    Json message = Json::parse(line);
    message["id"] = message["id"].get<std::int64_t>() + 1000;
    return message.dump() + '\n';
}

/// \param pause  pause between two writes
[[noreturn]] void sayForever(const std::string& line, std::chrono::milliseconds pause)
{
    // Many lines are written together, as by a program that does nothing else.
    std::string lines = line;
    for (int more = 0; pause.count() == 0 && more < 100; ++more)
        lines += line;
    for (;;) {
        write(lines);
        std::this_thread::sleep_for(pause);
    }
}

std::string spoilt(const Fault& fault, const std::string& line)
{
    endOrDelayProcess(fault.name);
    if (fault.name == "half") {
        write(line.substr(0, line.size() / 2));
        std::_Exit(0);
    }
    if (fault.name == "end-after") {
        write(line);
        std::_Exit(0);
    }
    if (fault.name == "flood")
        sayForever(line, std::chrono::milliseconds(0));
    if (fault.name == "endless")
        sayForever(line, std::chrono::milliseconds(10));
    if (fault.name == "garbage")
        return "{Welcome to the library!\n";
    if (fault.name == "long-line")
        return std::string(trial::maxLineBytes + 10, 'x') + '\n';
    if (fault.name == "whole-line")
        return asLongAsAllowed(line);
    if (fault.name == "wrong-id")
        return withOtherId(line);
    if (fault.name == "cancelled")
        return asCancelled(line);
    if (fault.name == "miscounted")
        return withWrongStepCount(line);
    if (fault.name == "renamed")
        return withOtherText(fault, line);
    if (fault.name == "duplicate")
        return line + line;
    if (fault.name == "stale")
        return speech().last[fault.message] + line;
    return withNumber(fault, line);
}

const Fault* faultOf(const std::string& message)
{
    Speech& now = speech();
    return now.behavior ? now.behavior->faultOfLine(message, now.size, ++now.said[message]) : nullptr;
}

} // namespace

void speakAs(FakeBehavior& behavior)
{
    speech().behavior = &behavior;
}

void beginAnswer(std::int64_t size)
{
    speech().size = size;
    if (!speech().behavior->chats)
        return;
    say(trial::Log{.level = trial::LogLevel::Warning, .text = "The fake worker has something to say."});
    say(trial::WorkerError{.text = "The fake worker has something to complain of."});
}

void say(const trial::WorkerMessage& message)
{
    const std::string line = trial::toLine(message);
    const std::string type = Json::parse(line)["type"];
    const Fault* const fault = faultOf(type);
    write(fault ? spoilt(*fault, line) : line);
    speech().last[type] = line;
}

void hearParent()
{
    lastHeard() = now();
}

void startHeartbeats(double seconds)
{
    std::thread([seconds] {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
            // A trial does not read what arrives meanwhile.
            if (hasUnreadInput())
                hearParent();
            if (now() - lastHeard() > trial::heartbeatsUntilDead * seconds)
                std::_Exit(0);
            if (!speech().behavior->isMute)
                write(trial::toLine(trial::WorkerMessage(trial::Heartbeat{})));
        }
    }).detach();
}

void hearBye()
{
    if (const Fault* const fault = faultOf("bye"))
        endOrDelayProcess(fault->name);
}

void endProcess(const std::string& fault)
{
    if (fault == "exit")
        std::exit(1);
    if (fault == "exit42")
        std::exit(42);
    if (fault == "exit137")
        std::exit(137);
    if (fault == "abort")
        std::abort();
    if (fault == "kill")
        std::raise(SIGKILL);
}

} // namespace batchpeak::test

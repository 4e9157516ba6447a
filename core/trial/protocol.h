// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "comparison.h"
#include "model/enum_names.h"
#include "training.h"
#include "trial_request.h"
#include "trial_result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::trial {

/// The trial protocol, version 2: JSON Lines between an exploration and the program that runs its
/// trials, whoever wrote that program.
///
/// Here lines become values and values become lines; nothing is read or written, no process known.
/// Unknown fields are ignored, an unknown type is an error. Times are in seconds, sizes in bytes.
inline constexpr int protocolVersion = 2;
/// A program may speak this one instead: without comparisons, and without the clock of a result.
inline constexpr int firstProtocolVersion = 1;
/// Whether a conversation of that version knows comparisons.
constexpr bool knowsComparisons(int version)
{
    return version >= 2;
}
/// A longer line is an error: a worker that forgets its line ends must not fill the memory.
inline constexpr std::size_t maxLineBytes = std::size_t{1} << 20;
/// Of the approximations that a program tells no more are heard, and of each no more bytes: they stand beside
/// every number.
inline constexpr std::size_t maxApproximations = 8;
inline constexpr std::size_t longestApproximation = 120;
/// What a number of a message may be, so that what is reckoned from a few of them does not overflow. 1 EiB is
/// more than any computer has.
inline constexpr std::int64_t maxBytes = std::int64_t{1} << 60;
/// Longer than anything that is measured, and far from what overflows a timer: ten years.
inline constexpr double longestSeconds = 10.0 * 365 * 24 * 3600;
/// No step, visit or batch is done in less: one clock cycle of a processor, or thereabouts.
inline constexpr double shortestStepSeconds = 1e-9;

// Parent to worker
struct Hello
{
    /// The highest that the parent speaks; a program answers with the highest of its own up to that.
    int protocol = protocolVersion;
    bool operator==(const Hello&) const = default;
};
struct Cancel
{
    std::int64_t id = 0;
    bool operator==(const Cancel&) const = default;
};
struct Bye
{
    bool operator==(const Bye&) const = default;
};
using ParentMessage = std::variant<Hello, LoadRequest, TrialRequest, CompareRequest, TrainingRequest,
                                   BatchRequest, SaveRequest, Cancel, Bye>;

// Worker to parent
struct DeviceDescription
{
    /// "cpu" or "cuda"
    std::string kind;
    std::string name;
    std::string uuid;
    std::int64_t totalBytes = 0;
    std::int64_t freeBytes = 0;
    /// Of what is not free, what the program itself has taken before any network: a context of CUDA's.
    std::int64_t contextBytes = 0;
    /// The most that the program may take, where something sets it a bound below what is free; else 0.
    std::int64_t limitBytes = 0;
    /// What the user has set of the program's allocator of device memory, in its own words; empty for
    /// nothing.
    std::string allocatorSettings;
    bool operator==(const DeviceDescription&) const = default;
};
struct WorkerHello
{
    int protocol = protocolVersion;
    std::string program;
    std::string framework;
    DeviceDescription device;
    bool operator==(const WorkerHello&) const = default;
};
struct Loaded
{
    std::int64_t parameters = 0;
    /// Held before the first forward pass: parameters, gradients, optimizer state. Above limitBytes
    /// where not even these fit; then nothing is held, and every trial answers out of memory.
    std::int64_t baselineBytes = 0;
    std::int64_t limitBytes = 0;
    /// What the program runs otherwise than it was asked to where that decides speed or memory, as short noun
    /// phrases ("a 4-bit base without a fused kernel"); empty for nothing.
    std::vector<std::string> approximations = {};
    bool operator==(const Loaded&) const = default;
};
enum class StepPhase { Warmup, Timed };

constexpr model::EnumNames<StepPhase, 2> wordsOf(StepPhase)
{
    return {{{StepPhase::Warmup, "warmup"}, {StepPhase::Timed, "timed"}}};
}
struct Step
{
    std::int64_t id = 0;
    StepPhase phase = StepPhase::Timed;
    int index = 0;
    double seconds = 0.0;
    bool operator==(const Step&) const = default;
};
enum class LogLevel { Debug, Info, Warning, Error };

constexpr model::EnumNames<LogLevel, 4> wordsOf(LogLevel)
{
    return {{{LogLevel::Debug, "debug"},
             {LogLevel::Info, "info"},
             {LogLevel::Warning, "warning"},
             {LogLevel::Error, "error"}}};
}
struct Log
{
    LogLevel level = LogLevel::Info;
    std::string text;
    bool operator==(const Log&) const = default;
};
struct WorkerError
{
    std::string text;
    /// The worker ends after saying so.
    bool fatal = false;
    bool operator==(const WorkerError&) const = default;
};
using WorkerMessage =
    std::variant<WorkerHello, Loaded, Step, TrialResult, TrainingReady, BatchResult, Saved, Log, WorkerError>;

/// Why a line is not a message, as a full sentence that quotes the offending part.
struct ProtocolError
{
    std::string text;
};

/// One line of JSON, with its line end.
std::string toLine(const ParentMessage& message);
std::string toLine(const WorkerMessage& message);

/// \param line  one line, with or without its line end
std::variant<ParentMessage, ProtocolError> parseParentMessage(std::string_view line);

/// Refuses also what no measurement can be: an Ok result with zero steps, or a time that is not a
/// positive number, or an Ok comparison that lacks visits.
std::variant<WorkerMessage, ProtocolError> parseWorkerMessage(std::string_view line);

} // namespace batchpeak::trial

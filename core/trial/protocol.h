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

/// Version 3 of the trial protocol: JSON Lines between an exploration and the program that runs its trials,
/// no matter who wrote that program.
///
/// This header converts lines to values and values to lines; it does no I/O and knows no processes. Unknown
/// fields are ignored; an unknown type is an error. Times are in seconds, sizes in bytes.
inline constexpr int protocolVersion = 3;
/// Oldest version that a program may speak instead; it lacks comparisons and the clock of a result.
inline constexpr int firstProtocolVersion = 1;
/// Whether that version of the protocol has comparisons.
constexpr bool knowsComparisons(int version)
{
    return version >= 2;
}
/// Whether that version of the protocol has heartbeats.
constexpr bool knowsHeartbeats(int version)
{
    return version >= 3;
}
/// A link on which nothing was heard for this many heartbeats is dead.
inline constexpr int heartbeatsUntilDead = 4;
/// Longest line; a longer one is an error, so that a worker that omits its line ends cannot exhaust the
/// memory.
inline constexpr std::size_t maxLineBytes = std::size_t{1} << 20;
/// Limits on the number of approximations that a program reports and on the bytes of each; any excess is
/// ignored, since the approximations are shown next to every number.
inline constexpr std::size_t maxApproximations = 8;
inline constexpr std::size_t longestApproximation = 120;
/// Largest number of bytes, parameters or samples in a message, so that arithmetic on a few such numbers does
/// not overflow. 1 EiB is more than any computer has.
inline constexpr std::int64_t maxBytes = std::int64_t{1} << 60;
/// Ten years: longer than anything that is measured, and far from overflowing a timer.
inline constexpr double longestSeconds = 10.0 * 365 * 24 * 3600;
/// Lower bound for the duration of a step, visit or batch: roughly one clock cycle of a processor.
inline constexpr double shortestStepSeconds = 1e-9;

// Messages from parent to worker
struct Hello
{
    /// Highest version that the parent speaks. The program answers with the highest version it speaks up to
    /// that.
    int protocol = protocolVersion;
    /// Longest time between two messages of either side, if it has nothing else to say; 0: no heartbeats.
    double heartbeatSeconds = 0.0;
    bool operator==(const Hello&) const = default;
};
/// Says that the sender is there, in either direction.
struct Heartbeat
{
    bool operator==(const Heartbeat&) const = default;
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
                                   BatchRequest, SaveRequest, Heartbeat, Cancel, Bye>;

// Messages from worker to parent
struct DeviceDescription
{
    /// "cpu" or "cuda"
    std::string kind;
    std::string name;
    std::string uuid;
    std::int64_t totalBytes = 0;
    std::int64_t freeBytes = 0;
    /// Part of the used memory that the program itself took before loading any network: a CUDA context.
    std::int64_t contextBytes = 0;
    /// Most memory that the program may take if something limits it to less than what is free; else 0.
    std::int64_t limitBytes = 0;
    /// User's settings of the program's device memory allocator, in the allocator's own syntax; empty if
    /// there are none.
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
/// What a message between processes that take steps together costs, as a ring all-reduce of n bytes among p
/// of them takes 2 (p - 1) (alpha + n / p beta) seconds.
struct Link
{
    std::int64_t processes = 1;
    double alphaSeconds = 0.0;
    double betaSecondsPerByte = 0.0;
    /// Root mean square of the relative errors of the fit.
    double relativeError = 0.0;
    bool operator==(const Link&) const = default;
};
struct Loaded
{
    std::int64_t parameters = 0;
    /// Memory held before the first forward pass: parameters, gradients, optimizer state. Above limitBytes if
    /// not even these fit; then nothing is held, and every trial is answered with out of memory.
    std::int64_t baselineBytes = 0;
    std::int64_t limitBytes = 0;
    /// What the program runs differently than requested, if that affects speed or memory, as short noun
    /// phrases ("a 4-bit base without a fused kernel"); empty if there is nothing.
    std::vector<std::string> approximations = {};
    /// Absent unless the load asked for it.
    std::optional<Link> link = {};
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
    /// Whether the worker ends after this message.
    bool fatal = false;
    bool operator==(const WorkerError&) const = default;
};
using WorkerMessage = std::variant<WorkerHello, Loaded, Step, TrialResult, TrainingReady, BatchResult, Saved,
                                   Heartbeat, Log, WorkerError>;

/// Reason that a line is not a message, as a full sentence that quotes the offending part.
struct ProtocolError
{
    std::string text;
};

/// Returns one line of JSON, with its line end.
std::string toLine(const ParentMessage& message);
std::string toLine(const WorkerMessage& message);

/// \param line  one line, with or without its line end
std::variant<ParentMessage, ProtocolError> parseParentMessage(std::string_view line);

/// Also refuses what cannot be a measurement: an Ok result with zero steps, a time that is not a positive
/// number, or an Ok comparison that lacks visits.
std::variant<WorkerMessage, ProtocolError> parseWorkerMessage(std::string_view line);

} // namespace batchpeak::trial

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_result.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace batchpeak::network {

class DeviceMemory;

/// Thrown if a network refuses its input: the micro-batch size cannot be run, whatever memory there is. The
/// message is a full sentence.
class UnsupportedStep : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Thrown out of a step if the callback of setCancelled() returned true.
class Cancelled : public std::runtime_error
{
public:
    Cancelled() : std::runtime_error("The step was canceled.") {}
};

/// Thrown if a checkpoint cannot be written or read. The message is a full sentence that names the file and
/// says what to do.
class CheckpointError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Whether the request asked for something impossible (std::invalid_argument, data::DataError,
/// CheckpointError). Then the device is not at fault, and the message is a sentence for the user who made the
/// request.
bool blamesTheRequest(const std::exception& error);

/// What a failed step means for its trial and for the worker.
struct Failure
{
    trial::Outcome outcome = trial::Outcome::Failed;
    /// Whether the device's context is lost: only a fresh process can go on.
    bool sticky = false;
    /// Lower bound of the bytes that the step would have needed, for an outcome of memory; 0 if unknown.
    std::int64_t neededBytes = 0;
    /// Set if the computer's main memory ran out, and not the device's: the size of the refused allocation
    /// [bytes], 0 if that is unknown.
    std::optional<std::int64_t> refusedHostBytes;
    std::string text;
};

/// Classifies the exception of a step by, in this order, the allocator's own count of refusals, the
/// exception's type, its error code, and its text. Call it inside the catch block, and leave that block
/// before StepRunner::recover(): the exception may hold tensors.
///
/// \param outOfMemoryCountBefore  DeviceMemory::outOfMemoryCount() before the step
Failure classifyFailure(const std::exception& error, const DeviceMemory& memory,
                        std::int64_t outOfMemoryCountBefore);

/// Returns the message without the stack trace that libtorch appends to its own messages.
std::string messageOf(const std::exception& error);

/// The part of classifyFailure() that needs no library: classifies a failure by its message.
Failure classifyFailureText(std::string_view text);

/// \param code  a cudaError_t
Failure classifyCudaError(int code, std::string_view text);

/// Returns the size in "Tried to allocate 2.50 GiB" or "you tried to allocate 4096 bytes", in bytes; 0 if the
/// message names none.
std::int64_t requestedBytes(std::string_view text);

} // namespace batchpeak::network

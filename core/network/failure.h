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

/// Thrown where a network refuses what it is given, as a full sentence: the size cannot be run, whatever
/// memory there is.
class UnsupportedStep : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Thrown out of a step when the question of setCancelled was answered with yes.
class Cancelled : public std::runtime_error
{
public:
    Cancelled() : std::runtime_error("The step was canceled.") {}
};

/// A checkpoint that cannot be written or read, as a full sentence that names the file and says what to do.
class CheckpointError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// What was asked for cannot be (std::invalid_argument, data::DataError, CheckpointError): no fault of the
/// device, and the text is a sentence for who asked.
bool blamesTheRequest(const std::exception& error);

/// What a failed step means for its trial and for the worker.
struct Failure
{
    trial::Outcome outcome = trial::Outcome::Failed;
    /// The device's context is lost: only a fresh process can go on.
    bool sticky = false;
    /// What the step would have needed at least, for an outcome of memory; 0 where it cannot be told.
    std::int64_t neededBytes = 0;
    /// The computer's main memory ran out, not the device's: what was asked for when it did [bytes], 0
    /// where that cannot be told.
    std::optional<std::int64_t> refusedHostBytes;
    std::string text;
};

/// Judges the exception of a step by, in this order, the allocator's own count of refusals, the
/// exception's type, its error code, and its text. Call it inside the catch block and leave that block
/// before StepRunner::recover: the exception may hold tensors.
///
/// \param outOfMemoryCountBefore  DeviceMemory::outOfMemoryCount before the step
Failure classifyFailure(const std::exception& error, const DeviceMemory& memory,
                        std::int64_t outOfMemoryCountBefore);

/// The message, without the stack of addresses that libtorch puts behind its own.
std::string messageOf(const std::exception& error);

/// The part of classifyFailure that needs no library: what a message says about its cause.
Failure classifyFailureText(std::string_view text);

/// \param code  a cudaError_t
Failure classifyCudaError(int code, std::string_view text);

/// The size in "Tried to allocate 2.50 GiB" or "you tried to allocate 4096 bytes", in bytes; 0 where a
/// message does not say it.
std::int64_t requestedBytes(std::string_view text);

} // namespace batchpeak::network

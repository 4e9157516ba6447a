// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fake_behavior.h"
#include "trial/protocol.h"

#include <cstdint>
#include <string>

namespace batchpeak::test {

/// Spoils lines as \p behavior specifies from now on.
/// \param behavior  outlives the last line of the process; its faults are used up
void speakAs(FakeBehavior& behavior);
/// Called when the answer to another request begins.
/// \param size  micro-batch size of the request, the first one of a comparison; 0 if it has none
void beginAnswer(std::int64_t size);
/// Writes one line of the protocol on standard output.
void say(const trial::WorkerMessage& message);
/// Notes that the parent has said something.
void hearParent();
/// Says from a thread of its own that the worker is there, and ends the process if the parent is silent for
/// too long, as batchpeak-worker does.
/// \param seconds  pause between two heartbeats
void startHeartbeats(double seconds);
/// Commits the faults of a process that has received bye.
void hearBye();
/// Ends the process if the fault is exit, exit42, abort or kill.
void endProcess(const std::string& fault);

} // namespace batchpeak::test

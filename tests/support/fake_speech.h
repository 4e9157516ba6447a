// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fake_behavior.h"
#include "trial/protocol.h"

#include <cstdint>
#include <string>

namespace batchpeak::test {

/// From now on lines are spoilt as that says.
/// \param behavior  outlives the process's last word; its faults are used up
void speakAs(FakeBehavior& behavior);
/// Another request is being answered.
/// \param size  its micro-batch size, the first one of a comparison; 0 where it has none
void beginAnswer(std::int64_t size);
/// Writes one line of the protocol on standard output.
void say(const trial::WorkerMessage& message);
/// Commits the faults of a process that is told to go.
void hearBye();
/// Ends the process where the fault is one of exit, exit42, abort and kill.
void endProcess(const std::string& fault);

} // namespace batchpeak::test

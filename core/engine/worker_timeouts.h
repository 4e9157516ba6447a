// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace batchpeak::engine {

/// How long an exploration or a training waits for a worker: every wait has a name, a number and an end.
/// Tests make them short.
struct WorkerTimeouts
{
    /// Start to hello. libtorch with CUDA took 16 s from a cold disk (measured once, right after
    /// installing); a launcher that queues may take longer than any number.
    std::chrono::milliseconds startUp = std::chrono::seconds(60);
    /// Load request to loaded: the initialisation of some billions of parameters on a slow CPU.
    std::chrono::milliseconds load = std::chrono::minutes(5);
    /// Beyond the time limit that the worker keeps itself: it looks at its clock between steps only,
    /// and on a CPU one step of a large size takes tens of seconds.
    std::chrono::milliseconds trialGrace = std::chrono::seconds(60);
    /// Training request to training ready: the data is read, and the tensors of a checkpoint.
    std::chrono::milliseconds training = std::chrono::minutes(5);
    /// From one sign of life of a batch to the next: one micro-batch, or the optimizer step. On a CPU the
    /// whole batch of a large network in one micro-batch takes minutes, and a training that is given up too
    /// early loses more than a late one.
    std::chrono::milliseconds batch = std::chrono::minutes(10);
    /// Save request to saved: tens of GiB to a network's disk.
    std::chrono::milliseconds save = std::chrono::minutes(10);
    /// Cancel to result. Nothing is lost by killing a worker that is in the middle of a long step.
    std::chrono::milliseconds cancel = std::chrono::seconds(3);
    /// "bye" and end of input to exit.
    std::chrono::milliseconds quit = std::chrono::seconds(2);
    /// SIGTERM to exit; SIGKILL follows.
    std::chrono::milliseconds terminate = std::chrono::seconds(2);
};

} // namespace batchpeak::engine

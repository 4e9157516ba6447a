// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::worker {

/// How batchpeak-worker ends. What went wrong is said in an error line before; the code tells the
/// parent whether a fresh worker may do better.
enum ExitCode : int {
    Finished = 0,
    /// Wrong options, no such device, another protocol or another libtorch: a fresh worker does no better.
    CannotWork = 1,
    /// The device's context is lost, but the device itself may be well: repeat in a fresh worker.
    StickyDeviceError = 42,
    /// The trial was answered, but not all of its memory came back: go on in a fresh worker.
    MemoryLost = 43
};

} // namespace batchpeak::worker

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

namespace batchpeak::device {

/// Busy time, for any process, of the processors that this process may run on, since the computer was booted.
struct ProcessorLoad
{
    int processors = 0;
    /// Sum over the processors.
    double busySeconds = 0.0;
    /// Error of busySeconds for one processor.
    double resolutionSeconds = 0.01;
};

/// Reads /proc/stat. All time but idle time and I/O wait counts as busy: time that the host of a virtual
/// machine gives to others (steal, proc(5)) is lost to this process like any other.
///
/// \param root  folder that contains proc; other than "/" in tests
/// \return nothing if the kernel does not report it
std::optional<ProcessorLoad> processorLoad(const std::filesystem::path& root = "/");

} // namespace batchpeak::device

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

namespace batchpeak::device {

/// How much the processors that this process may run on have worked since the computer was started, whoever
/// for.
struct ProcessorLoad
{
    int processors = 0;
    /// Of all of them together.
    double busySeconds = 0.0;
    /// Of one of them: what busySeconds may be off by.
    double resolutionSeconds = 0.01;
};

/// \param root  folder in which /proc is looked for; another than "/" in tests
/// \return nothing where the kernel does not tell
///
/// Of /proc/stat, all but idle and waiting for a disk counts as busy: time that the host of a virtual machine
/// takes for others is lost to us like any other (proc(5)).
std::optional<ProcessorLoad> processorLoad(const std::filesystem::path& root = "/");

} // namespace batchpeak::device

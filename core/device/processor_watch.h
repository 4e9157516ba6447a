// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

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

/// Measures how much other processes use the processors and the main memory of this computer, from one call
/// of look() to the next.
///
/// The worker judges whether that disturbs a trial, since it knows when it computes.
class ProcessorWatch
{
public:
    /// \param root  folder that stands for /, so that tests can lay out a file system of their own
    explicit ProcessorWatch(std::filesystem::path root = "/") : m_root(std::move(root)) {}

    /// \param own  processes whose time and memory do not count as those of others, including this process
    /// \param seconds  time of a monotonic clock
    /// \return readings with the load since the previous call; the load is absent in the first one
    DeviceReadings look(const std::set<std::int64_t>& own, double seconds);

private:
    struct Use
    {
        ProcessorLoad load;
        double ownSeconds = 0.0;
        double seconds = 0.0;
    };
    std::filesystem::path m_root;
    std::optional<Use> m_before;
    std::set<std::int64_t> m_ownBefore;
};

/// Calls ProcessorWatch::look() with the current time.
using ProcessorReader = std::function<DeviceReadings(const std::set<std::int64_t>& own)>;

/// Returns a reader with a ProcessorWatch of its own that uses the steady clock.
ProcessorReader processorReader();

/// Whether \p process is \p ancestor itself or a descendant of it, such as a worker that a shell has started.
/// False if the process runs on another computer or in another container.
bool descendsFrom(std::int64_t process, std::int64_t ancestor, const std::filesystem::path& root = "/");

} // namespace batchpeak::device

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"
#include "processor_load.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace batchpeak::device {

/// What else the processors and the main memory of this computer are used for, from one look to the next.
///
/// Whether that disturbs a trial is judged by the worker, which knows when it works.
class ProcessorWatch
{
public:
    /// \param root  stands for /, so that tests can lay out a file system of their own
    explicit ProcessorWatch(std::filesystem::path root = "/") : m_root(std::move(root)) {}

    /// \param own  processes whose time and memory are not others', this one among them
    /// \param seconds  of a clock that never goes back
    /// \return the load since the look before: nothing of it at the first
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

/// ProcessorWatch::look() at this moment.
using ProcessorReader = std::function<DeviceReadings(const std::set<std::int64_t>& own)>;

/// A watch of its own that looks by the steady clock.
ProcessorReader processorReader();

/// The process itself, or one that it has started, or one of those: as of a worker behind a shell. Not where
/// the process is of another computer or another container.
bool descendsFrom(std::int64_t process, std::int64_t ancestor, const std::filesystem::path& root = "/");

} // namespace batchpeak::device

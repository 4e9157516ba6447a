// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace batchpeak::device {

/// The computer's main memory that this process may use [bytes].
struct HostMemory
{
    std::int64_t total = 0;
    /// Memory that only caches files counts as available.
    std::int64_t available = 0;
};

/// Returns the numbers of the kernel, or those of the control groups where they are lower, as in a container.
///
/// \param root  folder that stands for /, so that tests can lay out a file system of their own
HostMemory hostMemory(const std::filesystem::path& root = "/");

} // namespace batchpeak::device

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace batchpeak::network {

/// The computer's main memory as this process may use it [bytes].
struct HostMemory
{
    std::int64_t total = 0;
    std::int64_t available = 0;
};

/// What the kernel says, or a control group where that is tighter.
///
/// \param root  stands for /, so that tests can lay out a file system of their own
HostMemory hostMemory(const std::filesystem::path& root = "/");

/// What tensors may hold so that the process stays within so much memory [bytes]: the matrix
/// library's buffers and the heap's slack come on top. Host memory needed = 1.1 x tensors + 200 MiB
/// (measured on torch 2.11.0 between 105 and 2,677 MiB of tensors).
std::int64_t tensorBytesWithin(std::int64_t hostBytes);

} // namespace batchpeak::network

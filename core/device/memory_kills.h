// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace batchpeak::device {

/// Processes that the kernel has ended, ever, because no main memory was left: those of this process's
/// control group where that counts them, else those of the whole computer; 0 where neither does.
///
/// \param root  stands for /, so that tests can lay out a file system of their own
std::int64_t memoryKills(const std::filesystem::path& root = "/");

} // namespace batchpeak::device

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::test {

/// The system resources that this process holds.
struct ProcessFootprint
{
    /// Resident bytes after the allocator of the C library has returned its free memory.
    std::int64_t residentBytes = 0;
    /// Allocated bytes according to the allocator.
    std::int64_t allocatedBytes = 0;
    int descriptors = 0;
    /// Number of child processes, including zombies.
    int children = 0;
    int threads = 0;
};

ProcessFootprint processFootprint();

} // namespace batchpeak::test

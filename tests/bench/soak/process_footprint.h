// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::test {

/// What this process holds of the system.
struct ProcessFootprint
{
    /// With what the allocator of the C library could give back given back.
    std::int64_t residentBytes = 0;
    /// By the allocator's own account.
    std::int64_t allocatedBytes = 0;
    int descriptors = 0;
    /// Those that have ended and that nobody has waited for among them.
    int children = 0;
    int threads = 0;
};

ProcessFootprint processFootprint();

} // namespace batchpeak::test

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "driver_memory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace batchpeak::simulated_gpu {

/// Allocates like CUDA's caching allocator of torch 2.11 from the memory of the driver: in segments of 2 MiB,
/// 20 MiB, or their own size rounded up to 2 MiB, whose free parts are kept, split and joined. With a limit,
/// it flushes the cache before it refuses. It has the real allocator's counters. Sizes are in bytes; the
/// memory handed out is main memory.
///
/// It is simpler than the real one: one stream, so that a freed block can be reused at once; no expandable
/// segments, no private pools, no rounding to divisions of powers of two.
class CachingAllocator
{
public:
    struct Count
    {
        std::int64_t current = 0;
        std::int64_t peak = 0;

        void add(std::int64_t bytes);
    };
    struct Counts
    {
        Count allocated;
        Count reserved;
        std::int64_t retries = 0;
        std::int64_t refusals = 0;
    };

    explicit CachingAllocator(DriverMemory& driver) : m_driver(driver) {}
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;

    /// \return null if that much is not free, even after the cache is flushed; that does not count as a
    ///         refusal yet
    void* allocate(std::int64_t bytes);
    void countRefusal();
    void free(void* data);
    void emptyCache();
    /// \param bytes  limit of all segments together
    void setLimit(std::int64_t bytes);
    std::optional<std::int64_t> limit() const;
    Counts counts() const;
    void resetPeaks();

private:
    struct Block
    {
        std::int64_t bytes = 0;
        std::byte* segment = nullptr;
        bool isSmall = false;
        bool isFree = false;
    };
    using Blocks = std::map<std::byte*, Block>;

    std::set<std::pair<std::int64_t, std::byte*>>& pool(bool isSmall);
    std::optional<Blocks::iterator> findFree(std::int64_t bytes, bool isSmall);
    std::optional<Blocks::iterator> newSegment(std::int64_t bytes, bool isSmall);
    void split(Blocks::iterator block, std::int64_t bytes);
    Blocks::iterator join(Blocks::iterator left, Blocks::iterator right);
    void flush();

    DriverMemory& m_driver;
    mutable std::mutex m_mutex;
    /// By address: the parts of a segment follow one another.
    Blocks m_blocks;
    std::map<std::byte*, std::int64_t> m_segments;
    std::set<std::pair<std::int64_t, std::byte*>> m_smallPool;
    std::set<std::pair<std::int64_t, std::byte*>> m_largePool;
    std::optional<std::int64_t> m_limit;
    Counts m_counts;
};

} // namespace batchpeak::simulated_gpu

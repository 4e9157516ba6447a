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

/// Allocator that works like the CUDA caching allocator of torch 2.11. It takes segments of 2 MiB, of 20 MiB,
/// or of the requested size rounded up to 2 MiB from the driver's memory, and it keeps, splits and joins the
/// free parts of segments. Before it refuses a request, it flushes the cache. It has the counters of the real
/// allocator. Sizes are in bytes; the memory that it returns is host memory.
///
/// It is simpler than the real allocator: it has one stream, so that a freed block can be reused immediately,
/// but no expandable segments, private pools or roundup_power2_divisions.
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

    /// \return null if there is not enough free memory even after a flush of the cache; the caller counts the
    ///         refusal with countRefusal()
    void* allocate(std::int64_t bytes);
    void countRefusal();
    /// \return whether the block is one of this allocator's; otherwise nothing is freed
    bool free(void* data);
    void emptyCache();
    /// \param bytes  limit of the total size of all segments
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
    /// Blocks by address, so that the parts of a segment are consecutive.
    Blocks m_blocks;
    std::map<std::byte*, std::int64_t> m_segments;
    std::set<std::pair<std::int64_t, std::byte*>> m_smallPool;
    std::set<std::pair<std::int64_t, std::byte*>> m_largePool;
    std::optional<std::int64_t> m_limit;
    Counts m_counts;
};

} // namespace batchpeak::simulated_gpu

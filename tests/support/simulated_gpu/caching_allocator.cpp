// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "caching_allocator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace batchpeak::simulated_gpu {

namespace {

// These values are those of c10/core/AllocatorConfig.h of torch 2.11.0; largeSegment is the default of
// large_segment_size().
constexpr std::int64_t smallestBlock = 512;
constexpr std::int64_t largestSmall = std::int64_t{1} << 20;
constexpr std::int64_t smallSegment = std::int64_t{2} << 20;
constexpr std::int64_t largeSegment = std::int64_t{20} << 20;
constexpr std::int64_t ownSegmentFrom = std::int64_t{10} << 20;
constexpr std::int64_t roundLarge = std::int64_t{2} << 20;

std::int64_t rounded(std::int64_t bytes, std::int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

std::int64_t segmentBytes(std::int64_t bytes)
{
    if (bytes <= largestSmall)
        return smallSegment;
    return bytes < ownSegmentFrom ? largeSegment : rounded(bytes, roundLarge);
}

} // namespace

void CachingAllocator::Count::add(std::int64_t bytes)
{
    current += bytes;
    peak = std::max(peak, current);
}

std::set<std::pair<std::int64_t, std::byte*>>& CachingAllocator::pool(bool isSmall)
{
    return isSmall ? m_smallPool : m_largePool;
}

void* CachingAllocator::allocate(std::int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    const std::int64_t size = rounded(std::max<std::int64_t>(bytes, 1), smallestBlock);
    const bool isSmall = size <= largestSmall;
    auto block = findFree(size, isSmall);
    if (!block)
        block = newSegment(size, isSmall);
    if (!block) {
        flush();
        ++m_counts.retries;
        block = newSegment(size, isSmall);
    }
    if (!block)
        return nullptr;
    split(*block, size);
    (*block)->second.isFree = false;
    m_counts.allocated.add((*block)->second.bytes);
    return (*block)->first;
}

void CachingAllocator::countRefusal()
{
    const std::lock_guard lock(m_mutex);
    ++m_counts.refusals;
}

std::optional<CachingAllocator::Blocks::iterator> CachingAllocator::findFree(std::int64_t bytes, bool isSmall)
{
    auto& free = pool(isSmall);
    const auto found = free.lower_bound({bytes, nullptr});
    if (found == free.end())
        return std::nullopt;
    const auto block = m_blocks.find(found->second);
    free.erase(found);
    return block;
}

std::optional<CachingAllocator::Blocks::iterator> CachingAllocator::newSegment(std::int64_t bytes,
                                                                               bool isSmall)
{
    const std::int64_t size = segmentBytes(bytes);
    if (m_limit && m_counts.reserved.current + size > *m_limit)
        return std::nullopt;
    if (!m_driver.take(size))
        return std::nullopt;
    // Pages without a write use no host memory.
    void* memory = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("The memory of the simulated GPU");
        std::abort();
    }
    auto* const begin = static_cast<std::byte*>(memory);
    m_segments.emplace(begin, size);
    m_counts.reserved.add(size);
    return m_blocks.emplace(begin, Block{.bytes = size, .segment = begin, .isSmall = isSmall}).first;
}

void CachingAllocator::split(Blocks::iterator block, std::int64_t bytes)
{
    const std::int64_t rest = block->second.bytes - bytes;
    const bool splits = block->second.isSmall ? rest >= smallestBlock : rest > largestSmall;
    if (!splits)
        return;
    Block remaining = block->second;
    remaining.bytes = rest;
    remaining.isFree = true;
    block->second.bytes = bytes;
    m_blocks.emplace(block->first + bytes, remaining);
    pool(remaining.isSmall).emplace(rest, block->first + bytes);
}

CachingAllocator::Blocks::iterator CachingAllocator::join(Blocks::iterator left, Blocks::iterator right)
{
    left->second.bytes += right->second.bytes;
    m_blocks.erase(right);
    return left;
}

bool CachingAllocator::free(void* data)
{
    const std::lock_guard lock(m_mutex);
    auto block = m_blocks.find(static_cast<std::byte*>(data));
    if (block == m_blocks.end())
        return false;
    m_counts.allocated.add(-block->second.bytes);
    auto& free = pool(block->second.isSmall);
    const auto joins = [&](Blocks::iterator other) {
        if (!other->second.isFree || other->second.segment != block->second.segment)
            return false;
        free.erase({other->second.bytes, other->first});
        return true;
    };
    if (const auto next = std::next(block); next != m_blocks.end() && joins(next))
        block = join(block, next);
    if (block != m_blocks.begin()) {
        if (const auto previous = std::prev(block); joins(previous))
            block = join(previous, block);
    }
    block->second.isFree = true;
    free.emplace(block->second.bytes, block->first);
    return true;
}

void CachingAllocator::emptyCache()
{
    const std::lock_guard lock(m_mutex);
    flush();
}

void CachingAllocator::flush()
{
    for (auto segment = m_segments.begin(); segment != m_segments.end();) {
        const auto& [begin, size] = *segment;
        const auto block = m_blocks.find(begin);
        if (!block->second.isFree || block->second.bytes != size) {
            ++segment;
            continue;
        }
        pool(block->second.isSmall).erase({size, begin});
        m_blocks.erase(block);
        m_counts.reserved.add(-size);
        m_driver.giveBack(size);
        munmap(begin, static_cast<std::size_t>(size));
        segment = m_segments.erase(segment);
    }
}

void CachingAllocator::setLimit(std::int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_limit = bytes;
}

std::optional<std::int64_t> CachingAllocator::limit() const
{
    const std::lock_guard lock(m_mutex);
    return m_limit;
}

CachingAllocator::Counts CachingAllocator::counts() const
{
    const std::lock_guard lock(m_mutex);
    return m_counts;
}

void CachingAllocator::resetPeaks()
{
    const std::lock_guard lock(m_mutex);
    m_counts.allocated.peak = m_counts.allocated.current;
    m_counts.reserved.peak = m_counts.reserved.current;
}

} // namespace batchpeak::simulated_gpu

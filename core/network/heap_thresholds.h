// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace batchpeak::network {

/// What glibc's malloc keeps of freed blocks, as in a process that runs steps of one size alone: a trainer.
///
/// malloc takes blocks from the kernel and gives them back, page fault by page fault, from a size on that it
/// raises for good with each such block that is freed, to 32 MiB at most. After larger sizes a step so costs
/// fewer page faults than a trainer of that size pays (GPT-2 of 4 layers, 38 samples: 5 % faster after 76,
/// 11 % slower than 19 without). Here each size has raised it by its own blocks alone.
///
/// mallopt(3), "Dynamic adjustment of the mmap threshold". All sizes are bytes. Calls must not overlap.
class HeapThresholds
{
public:
    /// From here on blocks are those of this size, with what it has raised before.
    void begin(std::int64_t microBatchSize);
    /// As if this size had freed nothing yet.
    void forget();
    /// Of every block.
    void freed(std::size_t bytes)
    {
        if (const std::size_t chunk = chunkOf(bytes); chunk > m_threshold && chunk <= largest)
            raise(chunk);
    }
    /// Blocks that take as much with malloc's own part are taken from the kernel.
    std::size_t threshold() const { return m_threshold; }

private:
    // DEFAULT_MMAP_THRESHOLD_MIN and _MAX of glibc's malloc.c with 64 bits.
    static constexpr std::size_t smallest = std::size_t{128} << 10;
    static constexpr std::size_t largest = std::size_t{32} << 20;

    // Pages of a block of its own, with malloc's header and room to align it by 64 bytes: as large a block
    // is below the threshold then.
    static constexpr std::size_t chunkOf(std::size_t bytes)
    {
        constexpr std::size_t page = 4096;
        constexpr std::size_t besideBlock = 128;
        return (bytes + besideBlock + page - 1) / page * page;
    }
    void raise(std::size_t chunk);
    void set(std::size_t bytes);

    std::map<std::int64_t, std::size_t> m_raised;
    std::int64_t m_microBatchSize = 0;
    std::size_t m_threshold = smallest;
};

} // namespace batchpeak::network

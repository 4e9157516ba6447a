// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace batchpeak::network {

/// Keeps malloc's thresholds for each micro-batch size as in a process that runs steps of that size alone, as
/// a training run does.
///
/// glibc's malloc takes blocks of at least a threshold size from the kernel and returns them to it, which
/// costs page faults. Each such block that is freed raises the threshold for good, to 32 MiB at most. A step
/// after larger micro-batch sizes would therefore have fewer page faults than in a training run of its own
/// size (GPT-2 of 4 layers: 38 samples are 5 % faster after 76, and 11 % slower than 19 without those). Here
/// only a micro-batch size's own blocks raise its threshold.
///
/// See mallopt(3), "Dynamic adjustment of the mmap threshold". All sizes are bytes. Calls must not overlap.
class HeapThresholds
{
public:
    /// Says that the following blocks belong to this micro-batch size, and restores the threshold that it has
    /// reached before.
    void begin(std::int64_t microBatchSize);
    /// Resets the threshold, as if this micro-batch size had freed nothing yet.
    void forget();
    /// Raises the threshold if the freed block was taken from the kernel. Call it for every block.
    void freed(std::size_t bytes)
    {
        if (const std::size_t chunk = chunkOf(bytes); chunk > m_threshold && chunk <= largest)
            raise(chunk);
    }
    /// Size from which blocks, malloc's own overhead included, are taken from the kernel.
    std::size_t threshold() const { return m_threshold; }

private:
    // DEFAULT_MMAP_THRESHOLD_MIN and _MAX of glibc's malloc.c with 64 bits.
    static constexpr std::size_t smallest = std::size_t{128} << 10;
    static constexpr std::size_t largest = std::size_t{32} << 20;

    // Whole pages of a block that the kernel maps by itself, with malloc's header and room to align it by 64
    // bytes. Once they are the threshold, a block of the same size is below it.
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

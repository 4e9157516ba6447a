// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "heap_thresholds.h"

#include <malloc.h>

namespace batchpeak::network {

void HeapThresholds::begin(std::int64_t microBatchSize)
{
    m_microBatchSize = microBatchSize;
    const auto raised = m_raised.find(microBatchSize);
    set(raised == m_raised.end() ? smallest : raised->second);
}

void HeapThresholds::forget()
{
    m_raised.erase(m_microBatchSize);
    set(smallest);
}

void HeapThresholds::raise(std::size_t chunk)
{
    m_raised[m_microBatchSize] = chunk;
    set(chunk);
}

void HeapThresholds::set(std::size_t bytes)
{
    m_threshold = bytes;
    // Either call ends malloc's dynamic adjustment. Free memory at the heap's end is kept up to twice the
    // threshold.
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(bytes));
    mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * bytes));
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "budget_allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <malloc.h>

#include <algorithm>
#include <new>
#include <string>

namespace batchpeak::network {

namespace {

// CUDA's caching allocator rounds in the same way, so both devices count in the same way.
constexpr std::size_t granularity = 512;
// libtorch's own alignment on the CPU (c10::gAlignment). The header takes as many bytes, so that the data
// after it stay aligned.
constexpr std::size_t allocationAlignment = 64;

struct Header
{
    std::size_t rounded;
};
static_assert(sizeof(Header) <= allocationAlignment);

template<typename Bytes>
Bytes roundedUp(Bytes bytes)
{
    return (bytes + Bytes{granularity} - 1) / Bytes{granularity} * Bytes{granularity};
}

std::string mebibytes(std::int64_t bytes)
{
    const std::int64_t hundredths = bytes / 1024 * 100 / 1024;
    const std::string fraction = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + (fraction.size() < 2 ? ".0" : ".") + fraction + " MiB";
}

} // namespace

BudgetAllocator& BudgetAllocator::installed()
{
    static BudgetAllocator* const instance = [] {
        auto* made = new BudgetAllocator;
        c10::SetCPUAllocator(made, 255);
        return made;
    }();
    return *instance;
}

void BudgetAllocator::setBudget(std::int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_budget = bytes;
}

std::int64_t BudgetAllocator::budget() const
{
    const std::lock_guard lock(m_mutex);
    return m_budget;
}

BudgetAllocator::Counters BudgetAllocator::counters() const
{
    const std::lock_guard lock(m_mutex);
    return m_counters;
}

void BudgetAllocator::resetPeak()
{
    const std::lock_guard lock(m_mutex);
    m_counters.peakAllocated = m_counters.allocated;
}

void BudgetAllocator::beginSize(std::int64_t microBatchSize)
{
    const std::lock_guard lock(m_mutex);
    m_thresholds.begin(microBatchSize);
}

void BudgetAllocator::emptyCache()
{
    const std::lock_guard lock(m_mutex);
    m_thresholds.forget();
    malloc_trim(0);
}

void BudgetAllocator::failAllocation(std::int64_t number)
{
    const std::lock_guard lock(m_mutex);
    m_failIn = number;
}

c10::DataPtr BudgetAllocator::allocate(std::size_t bytes)
{
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0)
        return {nullptr, nullptr, &BudgetAllocator::deleteData, cpu};
    if (bytes > static_cast<std::size_t>(INT64_MAX / 2))
        refuse(bytes);
    void* data = take(roundedUp(bytes));
    if (!data)
        refuse(bytes);
    // oneDNN frees by the data pointer alone, so the context must be that pointer.
    return {data, data, &BudgetAllocator::deleteData, cpu};
}

void* BudgetAllocator::take(std::size_t rounded)
{
    const auto size = static_cast<std::int64_t>(rounded);
    const std::lock_guard lock(m_mutex);
    if (m_failIn > 0 && --m_failIn == 0)
        return nullptr;
    if (size > m_budget - m_counters.allocated)
        return nullptr;
    void* block =
        ::operator new (allocationAlignment + rounded, std::align_val_t{allocationAlignment}, std::nothrow);
    if (!block)
        return nullptr;
    new (block) Header{rounded};
    m_counters.allocated += size;
    m_counters.peakAllocated = std::max(m_counters.peakAllocated, m_counters.allocated);
    return static_cast<char*>(block) + allocationAlignment;
}

void BudgetAllocator::deleteData(void* data)
{
    if (data)
        installed().giveBack(data);
}

void BudgetAllocator::giveBack(void* data)
{
    void* block = static_cast<char*>(data) - allocationAlignment;
    const std::size_t rounded = static_cast<const Header*>(block)->rounded;
    ::operator delete (block, std::align_val_t{allocationAlignment});
    const std::lock_guard lock(m_mutex);
    m_counters.allocated -= static_cast<std::int64_t>(rounded);
    m_thresholds.freed(allocationAlignment + rounded);
}

void BudgetAllocator::refuse(std::size_t bytes)
{
    const auto wanted = static_cast<std::int64_t>(std::min(bytes, static_cast<std::size_t>(INT64_MAX / 2)));
    std::int64_t allocated = 0;
    std::int64_t budget = 0;
    {
        const std::lock_guard lock(m_mutex);
        ++m_counters.refusals;
        allocated = m_counters.allocated;
        m_counters.neededAtLastRefusal = allocated + roundedUp(wanted);
        budget = m_budget;
    }
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CPU out of memory. Tried to allocate ", mebibytes(wanted),
                     " beside ", mebibytes(allocated), " of the limit of ", mebibytes(budget), ".");
}

c10::DeleterFnPtr BudgetAllocator::raw_deleter() const
{
    return &BudgetAllocator::deleteData;
}

void BudgetAllocator::copy_data(void* destination, const void* source, std::size_t bytes) const
{
    default_copy_data(destination, source, bytes);
}

} // namespace batchpeak::network

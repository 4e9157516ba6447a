// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/budget_allocator.h"

#include <c10/core/CPUAllocator.h>

#include <QtGlobal>

#include <array>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <execinfo.h>

namespace batchpeak::network {

/// Wraps libtorch's allocator during its lifetime, and records for each allocation the functions through
/// which it was requested: two allocations with the same callers fail on the same path, even if their sizes
/// differ.
class AllocationSites final : public c10::Allocator
{
public:
    /// Addresses of the callers as bytes, which are meaningful only in this process.
    using Site = std::string;

    AllocationSites() { c10::SetCPUAllocator(this, maxPriority); }
    ~AllocationSites() override { c10::SetCPUAllocator(&m_wrapped, maxPriority); }
    AllocationSites(const AllocationSites&) = delete;
    AllocationSites& operator=(const AllocationSites&) = delete;

    /// Sites of all allocations so far, counted as in BudgetAllocator::failAllocation.
    const std::vector<Site>& sites() const { return m_sites; }

    c10::DataPtr allocate(std::size_t bytes) override
    {
        if (bytes > 0) {
            const std::lock_guard lock(m_mutex);
            m_sites.push_back(callers());
        }
        return m_wrapped.allocate(bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return m_wrapped.raw_deleter(); }
    void copy_data(void* destination, const void* source, std::size_t bytes) const override
    {
        m_wrapped.copy_data(destination, source, bytes);
    }

private:
    static constexpr std::uint8_t maxPriority = 255;

    static Site callers()
    {
        // 32 frames reach from an operation's kernel to our function that called it.
        std::array<void*, 32> addresses{};
        const auto count = static_cast<std::size_t>(backtrace(addresses.data(), std::ssize(addresses)));
        return {reinterpret_cast<const char*>(addresses.data()), count * sizeof(void*)};
    }

    BudgetAllocator& m_wrapped = BudgetAllocator::installed();
    std::mutex m_mutex;
    std::vector<Site> m_sites;
};

/// Returns the allocations of a step that fail in a test: the first, the last, and each at a site that has
/// not failed in this process before. With BATCHPEAK_EVERY_ALLOCATION set all of them fail, which takes tens
/// of minutes.
/// \return numbers as in BudgetAllocator::failAllocation, ascending, and one beyond the last
inline std::vector<std::int64_t> failingAllocations(const std::vector<AllocationSites::Site>& sites)
{
    static std::set<AllocationSites::Site> failed;
    const bool failsAll = qEnvironmentVariableIsSet("BATCHPEAK_EVERY_ALLOCATION");
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const bool isNew = failed.insert(sites[i]).second;
        if (isNew || failsAll || i == 0 || i + 1 == sites.size())
            numbers.push_back(static_cast<std::int64_t>(i) + 1);
    }
    numbers.push_back(static_cast<std::int64_t>(sites.size()) + 1);
    return numbers;
}

} // namespace batchpeak::network

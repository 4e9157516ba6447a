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

/// Stands before libtorch's allocator while it lives, and tells for each allocation through which functions
/// it was asked for: two with the same callers fail on the same path, whatever their sizes.
class AllocationSites final : public c10::Allocator
{
public:
    /// Addresses of the callers as bytes, which mean something in this process alone.
    using Site = std::string;

    AllocationSites() { c10::SetCPUAllocator(this, maxPriority); }
    ~AllocationSites() override { c10::SetCPUAllocator(&m_behind, maxPriority); }
    AllocationSites(const AllocationSites&) = delete;
    AllocationSites& operator=(const AllocationSites&) = delete;

    /// Those of all allocations so far, as BudgetAllocator::failAllocation counts them.
    const std::vector<Site>& sites() const { return m_sites; }

    c10::DataPtr allocate(std::size_t bytes) override
    {
        if (bytes > 0) {
            const std::lock_guard lock(m_mutex);
            m_sites.push_back(callers());
        }
        return m_behind.allocate(bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return m_behind.raw_deleter(); }
    void copy_data(void* destination, const void* source, std::size_t bytes) const override
    {
        m_behind.copy_data(destination, source, bytes);
    }

private:
    static constexpr std::uint8_t maxPriority = 255;

    static Site callers()
    {
        // So many reach from an operation's kernel to the function of ours that asked for it.
        std::array<void*, 32> addresses{};
        const auto count = static_cast<std::size_t>(backtrace(addresses.data(), std::ssize(addresses)));
        return {reinterpret_cast<const char*>(addresses.data()), count * sizeof(void*)};
    }

    BudgetAllocator& m_behind = BudgetAllocator::installed();
    std::mutex m_mutex;
    std::vector<Site> m_sites;
};

/// Which allocations of a step fail in a test: the first, the last, and each at a site that did not fail in
/// this process before. With BATCHPEAK_EVERY_ALLOCATION set all do, which takes tens of minutes.
/// \return numbers as BudgetAllocator::failAllocation has them, ascending, and one beyond the last
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

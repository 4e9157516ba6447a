// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <mutex>

namespace batchpeak::simulated_gpu {

/// The memory of a GPU as its driver gives it out, to all processes that share a ledger (see
/// Settings::ledger). What a process held that was killed comes back late. All sizes are bytes.
class DriverMemory
{
public:
    struct Info
    {
        std::int64_t free = 0;
        std::int64_t total = 0;
    };

    DriverMemory();
    DriverMemory(const DriverMemory&) = delete;
    DriverMemory& operator=(const DriverMemory&) = delete;

    /// \return false where there is not as much
    bool take(std::int64_t bytes);
    void giveBack(std::int64_t bytes);
    Info info();

private:
    struct Ledger;

    std::int64_t heldByOthers();

    std::mutex m_mutex;
    std::int64_t m_held = 0;
    /// Null without one.
    Ledger* m_ledger = nullptr;
    int m_file = -1;
};

} // namespace batchpeak::simulated_gpu

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <mutex>

namespace batchpeak::simulated_gpu {

/// GPU memory that the driver gives to all processes that share a ledger (see Settings::ledger). The memory
/// of a killed process becomes free with a delay (see Settings::questionsUntilBack). All sizes are in bytes.
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

    /// \return false if there is not enough free memory
    bool take(std::int64_t bytes);
    void giveBack(std::int64_t bytes);
    Info info();

private:
    struct Ledger;

    std::int64_t heldByOthers();

    std::mutex m_mutex;
    std::int64_t m_held = 0;
    /// Null without a ledger.
    Ledger* m_ledger = nullptr;
    int m_file = -1;
};

} // namespace batchpeak::simulated_gpu

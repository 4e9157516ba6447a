// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver_memory.h"

#include "settings.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

namespace batchpeak::simulated_gpu {

/// Content of the ledger file, which has exactly this size and initially consists of zeros.
struct DriverMemory::Ledger
{
    struct Holder
    {
        pid_t process = 0;
        int questionsSinceItsEnd = 0;
        std::int64_t bytes = 0;
    };

    std::array<Holder, 64> holders;

    Holder& own()
    {
        for (Holder& holder : holders) {
            if (holder.process == getpid())
                return holder;
        }
        for (Holder& holder : holders) {
            if (holder.process == 0) {
                holder = {.process = getpid()};
                return holder;
            }
        }
        std::fputs("The ledger of the simulated GPU is full.\n", stderr);
        std::abort();
    }
};

namespace {

class FileLock
{
public:
    explicit FileLock(int file) : m_file(file) { flock(m_file, LOCK_EX); }
    ~FileLock() { flock(m_file, LOCK_UN); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int m_file;
};

} // namespace

DriverMemory::DriverMemory()
{
    if (settings().ledger.empty())
        return;
    m_file = open(settings().ledger.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void* memory = MAP_FAILED;
    if (m_file >= 0 && ftruncate(m_file, sizeof(Ledger)) == 0)
        memory = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, m_file, 0);
    if (memory == MAP_FAILED) {
        std::perror("The ledger of the simulated GPU");
        std::abort();
    }
    m_ledger = static_cast<Ledger*>(memory);
}

bool DriverMemory::take(std::int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    if (m_held + heldByOthers() + bytes > settings().totalBytes)
        return false;
    m_held += bytes;
    if (m_ledger) {
        const FileLock fileLock(m_file);
        m_ledger->own().bytes = m_held;
    }
    return true;
}

void DriverMemory::giveBack(std::int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_held -= bytes;
    if (m_ledger) {
        const FileLock fileLock(m_file);
        m_ledger->own().bytes = m_held;
    }
}

DriverMemory::Info DriverMemory::info()
{
    const std::lock_guard lock(m_mutex);
    return {.free = settings().totalBytes - m_held - heldByOthers(), .total = settings().totalBytes};
}

std::int64_t DriverMemory::heldByOthers()
{
    std::int64_t held = settings().otherBytes;
    if (!m_ledger)
        return held;
    const FileLock fileLock(m_file);
    for (Ledger::Holder& holder : m_ledger->holders) {
        if (holder.process == 0 || holder.process == getpid())
            continue;
        const bool hasEnded = kill(holder.process, 0) != 0 && errno == ESRCH;
        if (hasEnded && ++holder.questionsSinceItsEnd > settings().questionsUntilBack)
            holder = {};
        held += holder.bytes;
    }
    return held;
}

} // namespace batchpeak::simulated_gpu

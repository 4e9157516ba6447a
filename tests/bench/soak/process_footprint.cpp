// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "process_footprint.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string>
#include <unistd.h>

namespace batchpeak::test {

namespace {

int entriesOf(const char* folder)
{
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace

ProcessFootprint processFootprint()
{
    malloc_trim(0);
    ProcessFootprint footprint;
    // proc(5): sizes in pages; the resident size is the second one.
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    statm >> pages >> pages;
    footprint.residentBytes = pages * sysconf(_SC_PAGESIZE);
    const struct mallinfo2 heap = mallinfo2();
    footprint.allocatedBytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
    // One of them belongs to the iterator itself.
    footprint.descriptors = entriesOf("/proc/self/fd") - 1;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream children(task.path() / "children");
        footprint.children += static_cast<int>(std::distance(std::istream_iterator<std::string>(children),
                                                             std::istream_iterator<std::string>()));
        ++footprint.threads;
    }
    return footprint;
}

} // namespace batchpeak::test

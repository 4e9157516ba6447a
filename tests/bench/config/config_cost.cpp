// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_cost.h"

#include "engine/config_file.h"

#include <chrono>
#include <ctime>
#include <fstream>

namespace batchpeak {

namespace {

/// VmHWM of /proc/self/status (proc(5)), which is in kibibytes.
std::int64_t peakMemory()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::int64_t kibibytes = 0;
        if (word == "VmHWM:" && status >> kibibytes)
            return kibibytes * 1024;
    }
    return 0;
}

} // namespace

ConfigCost costOf(const QString& path)
{
    ConfigCost cost;
    const std::clock_t processorStart = std::clock();
    const auto start = std::chrono::steady_clock::now();
    try {
        const auto file = engine::ConfigFile::open(path);
        file.withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 66});
    } catch (const config::ConfigError& error) {
        cost.refusal = error.what();
    }
    cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    cost.processorSeconds = double(std::clock() - processorStart) / CLOCKS_PER_SEC;
    cost.peakBytes = peakMemory();
    return cost;
}

} // namespace batchpeak

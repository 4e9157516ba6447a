// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "processor.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::device {

namespace {

using std::filesystem::path;

std::optional<std::int64_t> numberIn(std::string_view text)
{
    const std::size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos)
        return std::nullopt;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> numberInFile(const path& file)
{
    std::string line;
    std::ifstream stream(file);
    return std::getline(stream, line) ? numberIn(line) : std::nullopt;
}

// What stands behind the key, in a file of lines "key<separator>value".
std::optional<std::string> valueInFile(const path& file, std::string_view key, char separator)
{
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t cut = line.find(separator);
        if (cut == std::string::npos)
            continue;
        std::string_view name = std::string_view(line).substr(0, cut);
        name = name.substr(0, name.find_last_not_of(" \t") + 1);
        if (name != key)
            continue;
        const std::size_t start = line.find_first_not_of(" \t", cut + 1);
        return start == std::string::npos ? std::string() : line.substr(start);
    }
    return std::nullopt;
}

std::int64_t kibibytesInFile(const path& file, std::string_view key)
{
    const auto text = valueInFile(file, key, ':');
    return text ? numberIn(*text).value_or(0) * 1024 : 0;
}

struct GroupFiles
{
    const char* limit;
    const char* used;
    const char* cacheKey;
};

// The tightest group above this process counts, so the way up to the root is walked. Page cache in the
// group counts as used there, although the kernel gives it back before anything fails.
void applyGroupLimits(LocalDevice& device, const path& top, path group, const GroupFiles& names)
{
    for (;;) {
        const path folder = group.empty() ? top : top / group;
        const auto limit = numberInFile(folder / names.limit);
        if (limit && *limit > 0) {
            const auto cached = valueInFile(folder / "memory.stat", names.cacheKey, ' ');
            const std::int64_t used =
                numberInFile(folder / names.used).value_or(0) - (cached ? numberIn(*cached).value_or(0) : 0);
            device.totalBytes = std::min(device.totalBytes, *limit);
            device.freeBytes = std::min(device.freeBytes, std::max<std::int64_t>(0, *limit - used));
        }
        if (group.empty())
            return;
        group = group.parent_path();
    }
}

// Lines "hierarchy:controllers:path"; an empty list of controllers is version 2.
path groupOf(const path& root, std::string_view controller)
{
    std::ifstream stream(root / "proc/self/cgroup");
    for (std::string line; std::getline(stream, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second != std::string::npos && line.substr(first + 1, second - first - 1) == controller)
            return path(line.substr(second + 1)).relative_path();
    }
    return {};
}

} // namespace

LocalDevice processor(const path& root)
{
    LocalDevice device{.kind = "cpu"};
    const auto modelName = valueInFile(root / "proc/cpuinfo", "model name", ':');
    device.name = modelName ? *modelName : std::string("CPU");
    device.totalBytes = kibibytesInFile(root / "proc/meminfo", "MemTotal");
    device.freeBytes = kibibytesInFile(root / "proc/meminfo", "MemAvailable");
    applyGroupLimits(device, root / "sys/fs/cgroup", groupOf(root, ""),
                     {"memory.max", "memory.current", "inactive_file"});
    applyGroupLimits(device, root / "sys/fs/cgroup/memory", groupOf(root, "memory"),
                     {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"});
    return device;
}

} // namespace batchpeak::device

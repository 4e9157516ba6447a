// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "processor_load.h"

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace batchpeak::device {

namespace {

std::optional<int> numberAtStart(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Parses a list such as "0-3,8".
std::set<int> numbersIn(const std::string& list)
{
    std::set<int> numbers;
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        const auto first = numberAtStart(range);
        const std::size_t dash = range.find('-');
        const auto last = dash == std::string::npos ? first : numberAtStart(range.substr(dash + 1));
        if (!first || !last)
            return {};
        for (int number = *first; number <= *last; ++number)
            numbers.insert(number);
    }
    return numbers;
}

std::set<int> allowedProcessors(const std::filesystem::path& root)
{
    constexpr std::string_view key = "Cpus_allowed_list:";
    std::ifstream status(root / "proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(key))
            return numbersIn(line.substr(line.find_first_not_of(" \t", key.size())));
    }
    return {};
}

// Columns: user nice system idle iowait irq softirq steal. Those that follow are included in user and nice.
std::int64_t busyTicks(std::istream& columns)
{
    std::int64_t ticks[8] = {};
    for (std::int64_t& value : ticks)
        columns >> value;
    return ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
}

} // namespace

std::optional<ProcessorLoad> processorLoad(const std::filesystem::path& root)
{
    constexpr std::string_view name = "cpu";
    const std::set<int> allowed = allowedProcessors(root);
    std::ifstream stat(root / "proc/stat");
    ProcessorLoad load;
    std::int64_t busy = 0;
    for (std::string line; std::getline(stat, line);) {
        std::istringstream columns(line);
        std::string word;
        columns >> word;
        if (!word.starts_with(name))
            continue;
        const auto number = numberAtStart(std::string_view(word).substr(name.size()));
        if (!number || !allowed.contains(*number))
            continue;
        ++load.processors;
        busy += busyTicks(columns);
    }
    // In some containers the file exists, but holds no numbers.
    if (load.processors == 0 || busy == 0)
        return std::nullopt;
    load.resolutionSeconds = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    load.busySeconds = static_cast<double>(busy) * load.resolutionSeconds;
    return load;
}

} // namespace batchpeak::device

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "processor_watch.h"

#include "host_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <memory>
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

/// Numbers from /proc/PID/stat (proc(5)).
struct ProcessFigures
{
    std::int64_t parent = 0;
    double processorSeconds = 0.0;
    std::int64_t residentBytes = 0;
};

std::optional<ProcessFigures> figuresOf(std::int64_t process, const std::filesystem::path& root)
{
    std::ifstream stream(root / "proc" / std::to_string(process) / "stat");
    std::string line;
    std::getline(stream, line);
    // The name in parentheses may itself contain spaces and parentheses.
    const std::size_t name = line.rfind(')');
    if (name == std::string::npos)
        return std::nullopt;
    // Columns from the third on: state, parent, ...; 14 and 15 are the ticks in user and kernel mode, 24 is
    // the number of resident pages.
    std::istringstream columns(line.substr(name + 1));
    std::array<std::string, 22> fields;
    for (std::string& field : fields)
        columns >> field;
    if (!columns)
        return std::nullopt;
    const auto number = [&](std::size_t column) {
        return std::strtoll(fields.at(column - 3).c_str(), nullptr, 10);
    };
    const auto ticks = static_cast<double>(number(14) + number(15));
    return ProcessFigures{.parent = number(4),
                          .processorSeconds = ticks / static_cast<double>(sysconf(_SC_CLK_TCK)),
                          .residentBytes = number(24) * sysconf(_SC_PAGESIZE)};
}

/// Reads the sensor in the processor's package, which has one of the names that the kernel's drivers use.
std::optional<int> temperatureCelsius(const std::filesystem::path& root)
{
    const auto wordIn = [](const std::filesystem::path& file) {
        std::ifstream stream(file);
        std::string word;
        stream >> word;
        return word;
    };
    const auto find = [&](const char* folder, const char* nameFile, const char* valueFile,
                          std::initializer_list<std::string_view> names) -> std::optional<int> {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(root / folder, error)) {
            if (std::ranges::find(names, wordIn(entry.path() / nameFile)) == names.end())
                continue;
            // The value is in thousandths of a degree.
            if (const int value = std::atoi(wordIn(entry.path() / valueFile).c_str()); value > 0)
                return value / 1000;
        }
        return std::nullopt;
    };
    if (const auto zone =
            find("sys/class/thermal", "type", "temp", {"x86_pkg_temp", "cpu-thermal", "cpu_thermal"}))
        return zone;
    return find("sys/class/hwmon", "name", "temp1_input", {"coretemp", "k10temp", "zenpower", "cpu_thermal"});
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

DeviceReadings ProcessorWatch::look(const std::set<std::int64_t>& own, double seconds)
{
    DeviceReadings readings{.temperatureCelsius = temperatureCelsius(m_root)};
    double ownSeconds = 0.0;
    std::int64_t ownBytes = 0;
    for (const std::int64_t process : own) {
        if (const auto figures = figuresOf(process, m_root)) {
            ownSeconds += figures->processorSeconds;
            ownBytes += figures->residentBytes;
        }
    }
    const HostMemory memory = hostMemory(m_root);
    if (memory.total > 0) {
        readings.usedBytes = memory.total - memory.available;
        readings.otherBytes = std::max<std::int64_t>(0, *readings.usedBytes - ownBytes);
    }
    const auto load = processorLoad(m_root);
    // The time of a process that started or ended since the previous call is unknown.
    if (load && m_before && own == m_ownBefore && seconds > m_before->seconds) {
        const double span = seconds - m_before->seconds;
        const double busy = load->busySeconds - m_before->load.busySeconds;
        const double others = (busy - (ownSeconds - m_before->ownSeconds)) / span;
        readings.processors = load->processors;
        readings.otherProcessors = std::clamp(others, 0.0, static_cast<double>(load->processors));
        readings.utilizationPercent =
            static_cast<int>(std::clamp(100.0 * busy / span / load->processors, 0.0, 100.0));
    }
    m_before.reset();
    if (load)
        m_before = Use{.load = *load, .ownSeconds = ownSeconds, .seconds = seconds};
    m_ownBefore = own;
    return readings;
}

ProcessorReader processorReader()
{
    return [watch = std::make_shared<ProcessorWatch>()](const std::set<std::int64_t>& own) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return watch->look(own, std::chrono::duration<double>(now).count());
    };
}

bool descendsFrom(std::int64_t process, std::int64_t ancestor, const std::filesystem::path& root)
{
    constexpr int maxGenerations = 16;
    for (int generation = 0; process > 0 && generation < maxGenerations; ++generation) {
        if (process == ancestor)
            return true;
        const auto figures = figuresOf(process, root);
        process = figures ? figures->parent : 0;
    }
    return false;
}

} // namespace batchpeak::device

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "visible_devices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace batchpeak::device {

namespace {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t comma = text.find(',');
        words.push_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos)
            return words;
        text.remove_prefix(comma + 1);
    }
}

/// \return the device with that index or name, or the end if there is none
auto named(const std::vector<LocalDevice>& all, std::string_view word)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.begin(), word.end(), number);
    if (error == std::errc() && end == word.end())
        return number < all.size() ? all.begin() + static_cast<std::ptrdiff_t>(number) : all.end();
    if (!word.starts_with("GPU-") && !word.starts_with("MIG-"))
        return all.end();
    return std::ranges::find_if(all,
                                [&](const LocalDevice& device) { return device.uuid.starts_with(word); });
}

std::vector<LocalDevice> numbered(std::vector<LocalDevice> devices)
{
    for (std::size_t i = 0; i < devices.size(); ++i)
        devices[i].index = static_cast<int>(i);
    return devices;
}

/// Returns the devices up to the first word that names none, or names one a second time.
std::vector<LocalDevice> upToTheFirstUnknown(const std::vector<LocalDevice>& all, std::string_view text)
{
    std::vector<LocalDevice> devices;
    for (const std::string_view word : wordsOf(text)) {
        const auto device = named(all, word);
        const auto isSame = [&](const LocalDevice& other) { return other.uuid == device->uuid; };
        if (device == all.end() || std::ranges::any_of(devices, isSame))
            break;
        devices.push_back(*device);
    }
    return numbered(std::move(devices));
}

} // namespace

std::optional<std::string> processEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

VisibleDevices visibleDevices(const std::vector<LocalDevice>& all, const Environment& environment)
{
    const auto restrictedBy = [](const char* name, const std::string& value) {
        return std::string(name) + "=" + value;
    };
    constexpr const char* cuda = "CUDA_VISIBLE_DEVICES";
    if (const auto value = environment(cuda))
        return {.devices = upToTheFirstUnknown(all, *value), .restriction = restrictedBy(cuda, *value)};

    constexpr std::array schedulers{"NVIDIA_VISIBLE_DEVICES", "SLURM_STEP_GPUS", "SLURM_JOB_GPUS"};
    for (const char* name : schedulers) {
        const auto value = environment(name);
        if (!value || value->empty())
            continue;
        auto devices = upToTheFirstUnknown(all, *value);
        if (devices.size() == wordsOf(*value).size() && devices.size() < all.size())
            return {.devices = std::move(devices), .restriction = restrictedBy(name, *value)};
    }
    return {.devices = all, .restriction = {}};
}

} // namespace batchpeak::device

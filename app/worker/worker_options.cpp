// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_options.h"

#include <charconv>
#include <string_view>

namespace batchpeak::worker {

namespace {

std::optional<network::DeviceId> deviceFromText(std::string_view text)
{
    using network::DeviceKind;
    constexpr std::string_view numbered = "cuda:";
    if (text == "cpu")
        return network::DeviceId{.kind = DeviceKind::Cpu};
    if (text == "cuda")
        return network::DeviceId{.kind = DeviceKind::Cuda};
    if (!text.starts_with(numbered))
        return std::nullopt;
    text.remove_prefix(numbered.size());
    int index = -1;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), index);
    if (error != std::errc() || end != text.end() || index < 0)
        return std::nullopt;
    return network::DeviceId{.kind = DeviceKind::Cuda, .index = index};
}

} // namespace

WorkerOptions parseWorkerOptions(std::span<const char* const> arguments)
{
    WorkerOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string_view argument = arguments[i];
        if (argument == "--version") {
            options.versionOnly = true;
            continue;
        }
        constexpr std::string_view device = "--device";
        std::optional<std::string_view> word;
        if (argument == device && i + 1 < arguments.size())
            word = arguments[++i];
        else if (argument.starts_with("--device="))
            word = argument.substr(device.size() + 1);
        if (!word) {
            options.problem =
                "The option " + std::string(argument) +
                " is unknown or has no value; --device cpu, --device cuda:N and --version are known.";
        } else if (const auto id = deviceFromText(*word)) {
            options.device = *id;
        } else {
            options.problem = "The device " + std::string(*word) + " is unknown; use cpu, cuda or cuda:N.";
        }
    }
    return options;
}

} // namespace batchpeak::worker

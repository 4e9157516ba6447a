// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "megatron_sizes.h"

namespace batchpeak::config {

namespace {

// Above these, no computer can run the network; below, its parameters can be counted in 64 bits.
constexpr std::int64_t maxSize = std::int64_t{1} << 22;
constexpr std::int64_t maxLayers = std::int64_t{1} << 14;

} // namespace

void failMegatron(const MegatronSettings& settings, std::string_view name, const std::string& problem)
{
    throw ConfigError("The value of " + settings.nameOf(name) + " " + problem + ".",
                      settings.positionOf(name));
}

std::int64_t checkedMegatronSize(const MegatronSettings& settings, std::string_view name, std::int64_t size)
{
    if (size < 1)
        failMegatron(settings, name, "is " + std::to_string(size) + ", but must be at least 1");
    const std::int64_t largest = name == "num_layers" ? maxLayers : maxSize;
    if (size > largest) {
        failMegatron(settings, name,
                     "is " + std::to_string(size) + ", more than any network has; write at most " +
                         std::to_string(largest));
    }
    return size;
}

std::int64_t requiredMegatronSize(const MegatronSettings& settings, std::string_view name)
{
    const auto size = settings.integer(name);
    if (!size) {
        throw ConfigError(settings.nameOf(name) +
                              " is missing, without which the network is unknown; add it.",
                          settings.positionOf(name));
    }
    return checkedMegatronSize(settings, name, *size);
}

std::int64_t megatronSizeOr(const MegatronSettings& settings, std::string_view name, std::int64_t otherwise)
{
    const auto size = settings.integer(name);
    return size ? checkedMegatronSize(settings, name, *size) : otherwise;
}

double positiveMegatronNumberOr(const MegatronSettings& settings, std::string_view name, double otherwise)
{
    const double number = settings.number(name).value_or(otherwise);
    if (!(number > 0))
        failMegatron(settings, name, "must be above 0");
    return number;
}

} // namespace batchpeak::config

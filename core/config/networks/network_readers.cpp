// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_readers.h"

#include "model/spec_checks.h"
#include "unmodeled_features.h"

namespace batchpeak::config {

namespace {

// No computer can run a network with a larger size, and products of two sizes up to it fit into 64 bits. The
// largest vocabulary in ModelZoo 2.10.0 is 512000.
constexpr std::int64_t maxSize = std::int64_t{1} << 22;

} // namespace

std::int64_t checkedSize(const Settings& settings, std::string_view key, std::int64_t size)
{
    if (size < 1)
        settings.fail(key, "is {}, but must be at least 1", size);
    const bool countsLayers = key.ends_with("layers") || key.ends_with("n_layer");
    const bool countsHeads = key.ends_with("heads") || key.ends_with("n_head");
    const std::int64_t largest = countsLayers ? model::maxLayers : countsHeads ? model::maxHeads : maxSize;
    if (size > largest)
        settings.fail(key, "is {}, more than any network has; write at most {}", size, largest);
    return size;
}

std::int64_t checkedResult(const Settings& settings, std::string_view key, std::int64_t size)
{
    if (size > maxSize)
        settings.fail(key, "makes a size of {}, more than any network has; write a smaller one", size);
    return size;
}

std::int64_t requiredSize(const Settings& settings, std::string_view key)
{
    const auto size = settings.integer(key);
    if (!size) {
        throw errorAt(settings.positionOf(key), "{} is missing, so the network is unknown; add it.",
                      settings.pathOf(key));
    }
    return checkedSize(settings, key, *size);
}

std::int64_t sizeOr(const Settings& settings, std::string_view key, std::int64_t otherwise)
{
    const auto size = settings.integer(key);
    return size ? checkedSize(settings, key, *size) : otherwise;
}

std::int64_t sizeOrNone(const Settings& settings, std::string_view key, std::int64_t otherwise)
{
    const std::int64_t size = settings.integer(key).value_or(otherwise);
    if (size < 0)
        settings.fail(key, "is {}, but must be at least 0", size);
    return size > 0 ? checkedSize(settings, key, size) : 0;
}

double positiveNumberOr(const Settings& settings, std::string_view key, double otherwise)
{
    const double number = settings.number(key).value_or(otherwise);
    if (!(number > 0))
        settings.fail(key, "must be above 0, as in {}", otherwise < 1 ? "1.0e-5" : "10000.0");
    return number;
}

double dropoutRateOr(const Settings& settings, std::string_view key, double otherwise)
{
    const double rate = settings.number(key).value_or(otherwise);
    if (!(rate >= 0 && rate < 1))
        settings.fail(key, "is a dropout rate, so it must be at least 0 and less than 1");
    return rate;
}

} // namespace batchpeak::config

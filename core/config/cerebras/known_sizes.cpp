// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "known_sizes.h"

#include "model/parameter_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace batchpeak::config {

namespace {

struct Row
{
    const char* network;
    double parameters;
    std::int64_t microBatchSize;
};

constexpr std::array gptRows{
    Row{"GPT-3 1.3B", 1.3e9, 253}, Row{"GPT-3 2.7B", 2.7e9, 198}, Row{"GPT-3 6.7B", 6.7e9, 121},
    Row{"GPT-3 13B", 13e9, 99},    Row{"GPT-3 20B", 20e9, 77},    Row{"GPT-3 30B", 30e9, 69},
    Row{"GPT-3 39B", 39e9, 55},    Row{"GPT-3 65B", 65e9, 55},    Row{"GPT-3 82B", 82e9, 48},
    Row{"GPT-3 175B", 175e9, 35},
};
constexpr std::array t5Rows{Row{"T5 3B", 3e9, 256}, Row{"T5 11B", 11e9, 520}};

/// Networks farther from every row than the rows are from each other (a factor of 2.5 at most) have another
/// size.
constexpr double farthest = 1.6;

std::span<const Row> rowsFor(const model::ModelSpec& spec)
{
    const auto* decoder = std::get_if<model::DecoderSpec>(&spec.architecture);
    if (decoder && !model::hasExperts(*decoder))
        return gptRows;
    if (std::holds_alternative<model::EncoderDecoderSpec>(spec.architecture))
        return t5Rows;
    return {};
}

} // namespace

std::optional<KnownSize> knownSizeFor(const model::ModelSpec& spec)
{
    const std::span<const Row> rows = rowsFor(spec);
    if (rows.empty())
        return std::nullopt;
    const auto parameters = static_cast<double>(model::parameterCount(spec));
    const auto distance = [&](const Row& row) { return std::abs(std::log(row.parameters / parameters)); };
    const Row& nearest = *std::ranges::min_element(rows, {}, distance);
    if (distance(nearest) > std::log(farthest))
        return std::nullopt;
    return KnownSize{.network = nearest.network, .microBatchSize = nearest.microBatchSize};
}

} // namespace batchpeak::config

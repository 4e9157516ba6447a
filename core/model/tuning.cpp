// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuning.h"

#include "spec_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace batchpeak::model {

namespace {

std::optional<std::string> problemWithRounding(const Tuning& tuning)
{
    const FakeQuantization& rounding = tuning.fakeQuantization;
    if (!roundsAnything(rounding))
        return std::nullopt;
    if (rounding.groupSize < 0 || rounding.groupSize == 1) {
        return std::string("The groups of weights that share a scale must have 2 values or more, or 0 for "
                           "whole rows.");
    }
    if (auto problem = problemWithSizes(
            {{.size = rounding.groupSize, .name = "number of weights that share a scale", .min = 0}}))
        return problem;
    if (isQuantized(tuning.frozenWeights)) {
        return std::string("Weights that are quantized already are not rounded again in training; choose "
                           "bf16 or fp32 for frozen weights, or no fake quantization.");
    }
    return std::nullopt;
}

} // namespace

bool isTarget(const Tuning& tuning, Projection projection)
{
    return std::ranges::find(tuning.targets, projection, &AdapterTarget::projection) != tuning.targets.end();
}

bool isTarget(const Tuning& tuning, Projection projection, std::optional<std::int64_t> layer)
{
    return std::ranges::any_of(tuning.targets, [&](const AdapterTarget& target) {
        return target.projection == projection &&
               (target.layers.empty() ||
                (layer && std::ranges::find(target.layers, *layer) != target.layers.end()));
    });
}

std::optional<NumberedLayer> numberedLayer(std::string_view parameter, std::string_view word)
{
    const std::size_t place = parameter.find(word);
    if (place == std::string_view::npos)
        return std::nullopt;
    const char* const digits = parameter.data() + place + word.size();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits, parameter.data() + parameter.size(), number);
    if (error != std::errc())
        return std::nullopt;
    return NumberedLayer{.prefix = parameter.substr(0, end - parameter.data() + 1), .number = number};
}

std::optional<std::int64_t> layerOf(std::string_view parameter)
{
    const auto layer = numberedLayer(parameter, "layers.");
    return layer ? std::optional(layer->number) : std::nullopt;
}

double adapterScale(const Tuning& tuning)
{
    const auto rank = static_cast<double>(tuning.rank);
    return tuning.alpha / (tuning.rankStabilized ? std::sqrt(rank) : rank);
}

std::optional<std::string> problemWith(const Tuning& tuning)
{
    if (auto problem = problemWithRounding(tuning))
        return problem;
    if (!hasAdapters(tuning))
        return std::nullopt;
    if (auto problem = problemWithSizes({{tuning.rank, "rank of the adapters"}}))
        return problem;
    if (tuning.targets.empty() && tuning.trainedParts.empty() && tuning.modules == ModuleNames()) {
        return std::string("No projection has an adapter, so there is nothing to train; name some, such as "
                           "query and value.");
    }
    // Each layer searches all targets for itself.
    constexpr std::size_t maxTargets = 1024;
    if (tuning.targets.size() > maxTargets) {
        return "There are " + std::to_string(tuning.targets.size()) +
               " targets of adapters; name each projection once, with its layers.";
    }
    const bool hasNegativeLayer = std::ranges::any_of(tuning.targets, [](const AdapterTarget& target) {
        return std::ranges::any_of(target.layers, [](std::int64_t layer) { return layer < 0; });
    });
    if (hasNegativeLayer)
        return std::string(
            "The number of a layer with an adapter is below 0, but layers are counted from 0.");
    if (!std::isfinite(tuning.alpha))
        return std::string("The alpha of the adapters must be a finite number.");
    return problemWithDropout({tuning.dropout});
}

} // namespace batchpeak::model

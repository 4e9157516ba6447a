// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_keys.h"

#include "yaml_scalar.h"

#include <array>
#include <utility>

namespace batchpeak::config {

namespace {

// Above these, no computer can run the network; below, its parameters can be counted in 64 bits.
// Vocabularies end at 512000 in ModelZoo 2.10.0.
constexpr std::int64_t maxSize = std::int64_t{1} << 22;
constexpr std::int64_t maxLayers = std::int64_t{1} << 14;

} // namespace

std::int64_t checkedSize(const ConfigSection& model, std::string_view key, std::int64_t size)
{
    if (size < 1)
        model.fail(key, "is " + std::to_string(size) + ", but must be at least 1");
    const std::int64_t largest = key.ends_with("num_hidden_layers") ? maxLayers : maxSize;
    if (size > largest) {
        model.fail(key, "is " + std::to_string(size) + ", more than any network has; write at most " +
                            std::to_string(largest));
    }
    return size;
}

std::int64_t requiredSize(const ConfigSection& model, std::string_view key)
{
    const auto size = model.integer(key);
    if (!size) {
        throw ConfigError(model.pathOf(key) + " is missing, without which the network is unknown; add it.",
                          model.positionOf(key));
    }
    return checkedSize(model, key, *size);
}

std::int64_t sizeOr(const ConfigSection& model, std::string_view key, std::int64_t otherwise)
{
    const auto size = model.integer(key);
    return size ? checkedSize(model, key, *size) : otherwise;
}

double positiveNumberOr(const ConfigSection& model, std::string_view key, double otherwise)
{
    const double number = model.number(key).value_or(otherwise);
    if (!(number > 0))
        model.fail(key, "must be above 0, as in " + std::string(otherwise < 1 ? "1.0e-5" : "10000.0"));
    return number;
}

double dropoutRateOr(const ConfigSection& model, std::string_view key, double otherwise)
{
    const double rate = model.number(key).value_or(otherwise);
    if (!(rate >= 0 && rate < 1))
        model.fail(key, "is a dropout rate, so it must be at least 0 and less than 1");
    return rate;
}

std::optional<model::Activation> activationOf(std::string_view word)
{
    // "gelu" is torch's, with the error function; gelu_new and gelu_fast are the approximation by tanh
    // (ModelZoo 2.10.0, layers/activations.py).
    constexpr std::array<std::pair<std::string_view, model::Activation>, 4> activations{
        {{"gelu", model::Activation::Gelu},
         {"gelu_new", model::Activation::GeluTanh},
         {"gelu_fast", model::Activation::GeluTanh},
         {"swiglu", model::Activation::SwiGlu}}};
    for (const auto& [known, activation] : activations) {
        if (word == known)
            return activation;
    }
    return std::nullopt;
}

bool isSwitchedOn(const ConfigSection& model, std::string_view key)
{
    if (!model.has(key))
        return false;
    const YamlNode& value = model.find(key)->resolvedValue();
    if (value.kind != NodeKind::Scalar)
        return !value.children.empty();
    if (const auto boolean = asBoolean(value))
        return *boolean;
    return asNumber(value) != 0.0;
}

UnsupportedModel unsupportedBecause(const ConfigSection& model, std::string_view key,
                                    const std::string& feature)
{
    return {
        "The network uses " + feature + " (" + model.pathOf(key) +
            "), which trials here do not have, so that they would measure another network. Its batch sizes "
            "can be read and written all the same.",
        model.positionOf(key)};
}

} // namespace batchpeak::config

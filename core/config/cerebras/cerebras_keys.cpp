// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_keys.h"

#include "syntax/yaml_scalar.h"

#include <array>
#include <utility>

namespace batchpeak::config {

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

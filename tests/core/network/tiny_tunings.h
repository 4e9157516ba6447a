// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/tuning.h"

#include <string>
#include <vector>

namespace batchpeak::network {

/// Returns adapters on every matrix product of a layer.
inline std::vector<model::AdapterTarget> allLinear()
{
    using enum model::Projection;
    std::vector<model::AdapterTarget> targets;
    for (const model::Projection projection :
         {Query, Key, Value, AttentionOutput, CrossQuery, CrossKey, CrossValue, CrossOutput, Gate, Up, Down})
        targets.push_back({.projection = projection});
    return targets;
}

inline model::Tuning lora(std::vector<model::AdapterTarget> targets)
{
    return {.adapter = model::AdapterKind::Lora, .rank = 3, .alpha = 6.0, .targets = std::move(targets)};
}

inline model::Tuning lora()
{
    return lora({{.projection = model::Projection::Query}, {.projection = model::Projection::Value}});
}

struct NamedTuning
{
    const char* name = nullptr;
    model::Tuning tuning;
};

/// Returns every kind of adapter and of frozen weight.
inline std::vector<NamedTuning> tinyTunings()
{
    using enum model::FrozenWeights;
    const auto with = [](model::Tuning tuning, const auto& change) {
        change(tuning);
        return tuning;
    };
    return {
        {"LoRA", lora()},
        {"LoRA, all linear", lora(allLinear())},
        {"LoRA, queries, keys and values as one", lora({{.projection = model::Projection::QueryKeyValue}})},
        {"LoRA, last layer", lora({{.projection = model::Projection::Query, .layers = {1}},
                                   {.projection = model::Projection::Down, .layers = {1}}})},
        {"LoRA, rank stabilized", with(lora(), [](auto& tuning) { tuning.rankStabilized = true; })},
        {"LoRA, output", lora({{.projection = model::Projection::Output}})},
        {"DoRA", with(lora(allLinear()), [](auto& tuning) { tuning.adapter = model::AdapterKind::Dora; })},
        {"QLoRA", with(lora(allLinear()), [](auto& tuning) { tuning.frozenWeights = Nf4; })},
        {"QLoRA, scales in full", with(lora(),
                                       [](auto& tuning) {
                                           tuning.frozenWeights = Nf4;
                                           tuning.doubleQuantization = false;
                                       })},
        {"QDoRA", with(lora(allLinear()),
                       [](auto& tuning) {
                           tuning.adapter = model::AdapterKind::Dora;
                           tuning.frozenWeights = Nf4;
                       })},
        {"torchao's QLoRA", with(lora(allLinear()), [](auto& tuning) { tuning.frozenWeights = TorchaoNf4; })},
        {"torchao's QDoRA", with(lora(allLinear()),
                                 [](auto& tuning) {
                                     tuning.adapter = model::AdapterKind::Dora;
                                     tuning.frozenWeights = TorchaoNf4;
                                 })},
        {"LoRA beside 8 bits", with(lora(), [](auto& tuning) { tuning.frozenWeights = Int8; })}};
}

/// Returns every kind of rounding, together with the tunings that people use with it.
inline std::vector<NamedTuning> tinyRoundings()
{
    using enum model::FakeQuantizedWeights;
    const model::FakeQuantization usual{
        .weights = Int4, .groupSize = 16, .activations = model::FakeQuantizedActivations::Int8};
    const auto whole = [](model::FakeQuantization rounding) {
        return model::Tuning{.fakeQuantization = rounding};
    };
    const auto beside = [](model::Tuning tuning, model::FakeQuantization rounding) {
        rounding.adaptedLayers = true;
        tuning.fakeQuantization = rounding;
        return tuning;
    };
    // Products that an adapter omits are not rounded.
    std::vector<model::AdapterTarget> some = allLinear();
    some.erase(some.begin());
    model::FakeQuantization everywhere = usual;
    everywhere.embeddings = everywhere.sharedOutput = true;
    return {{"int4 and int8", whole(usual)},
            {"int4 and int8, embeddings too", whole(everywhere)},
            {"int4", whole({.weights = Int4, .groupSize = 16})},
            {"int8 by rows", whole({.weights = Int8, .groupSize = 0})},
            {"uint4", whole({.weights = Uint4, .groupSize = 16})},
            {"nvfp4", whole({.weights = Nvfp4, .activations = model::FakeQuantizedActivations::Nvfp4})},
            {"int4 and int8 beside LoRA", beside(lora(some), usual)},
            {"int4 and int8 beside LoRA, all linear", beside(lora(allLinear()), usual)}};
}

} // namespace batchpeak::network

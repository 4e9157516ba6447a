// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention_layers.h"

#include "network_readers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

using Layers = std::vector<std::int64_t>;

template<typename Is>
Layers layersWhere(std::int64_t count, const Is& is)
{
    Layers layers;
    for (std::int64_t layer = 0; layer < count; ++layer) {
        if (is(layer))
            layers.push_back(layer);
    }
    return layers;
}

/// Checks a list with a value for each layer. It may be longer than the number of layers, but not shorter.
void checkLength(const ConfigSection& config, std::string_view key, std::size_t length, std::int64_t layers)
{
    if (std::cmp_less(length, layers))
        config.fail(key, "is a list of {}, but the network has {} layers", length, layers);
}

/// Returns the window size of layers with a sliding window; 0 for no window. An absent key means the default,
/// null means no window.
std::int64_t windowOf(const ConfigSection& config, const RotaryDecoderClass& known)
{
    constexpr std::string_view key = "sliding_window";
    const bool isSwitched = known.windows != WindowRule::All && known.windows != WindowRule::AllButEvery;
    if (known.windows == WindowRule::None ||
        (isSwitched && !config.boolean("use_sliding_window").value_or(false)))
        return 0;
    return sizeOr(config, key, config.find(key) ? 0 : known.slidingWindow);
}

/// Returns the layers without rotary positions: no_rope_layers has a 1 for each layer that is rotated; the
/// default is that every fourth layer is not: __post_init__ of SmolLM3Config.
Layers unrotatedOfSmolLm(const ConfigSection& config, std::int64_t layers)
{
    constexpr std::string_view key = "no_rope_layers";
    if (const auto rotated = config.integers(key)) {
        checkLength(config, key, rotated->size(), layers);
        return layersWhere(layers, [&rotated](std::int64_t layer) {
            return rotated->at(static_cast<std::size_t>(layer)) == 0;
        });
    }
    const std::int64_t interval = sizeOr(config, "no_rope_layer_interval", 4);
    return layersWhere(layers, [interval](std::int64_t layer) { return (layer + 1) % interval == 0; });
}

/// Returns the layers with a sliding window, as __post_init__ of the configuration classes does. Classes
/// whose layers are all alike do not read layer_types.
Layers windowedLayers(const DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known)
{
    constexpr std::string_view typesKey = "layer_types";
    const bool areAlike = known.windows == WindowRule::All || known.windows == WindowRule::SwitchedAll;
    if (const auto types = areAlike ? std::nullopt : config.words(typesKey)) {
        checkLength(config, typesKey, types->size(), spec.layers);
        return layersWhere(spec.layers, [&types](std::int64_t layer) {
            return types->at(static_cast<std::size_t>(layer)) == "sliding_attention";
        });
    }
    const std::int64_t bound = config.integer("max_window_layers").value_or(28);
    const std::int64_t pattern =
        sizeOr(config, "sliding_window_pattern", std::max<std::int64_t>(1, known.windowPattern));
    return layersWhere(spec.layers, [&](std::int64_t layer) {
        switch (known.windows) {
        case WindowRule::SwitchedUpper:
            return layer >= bound;
        case WindowRule::SwitchedAlternate:
            return layer % 2 == 0 && layer < bound;
        case WindowRule::SwitchedUnrotated:
            return std::ranges::binary_search(spec.unrotatedLayers, layer);
        case WindowRule::AllButEvery:
            return (layer + 1) % pattern != 0;
        case WindowRule::None:
        case WindowRule::All:
        case WindowRule::SwitchedAll:
            break;
        }
        return true;
    });
}

} // namespace

void readAttentionLayers(DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known)
{
    if (known.windows == WindowRule::SwitchedUnrotated)
        spec.unrotatedLayers = unrotatedOfSmolLm(config, spec.layers);
    const std::int64_t window = windowOf(config, known);
    const Layers windowed = window == 0 ? Layers() : windowedLayers(spec, config, known);
    if (known.rotatesWindowedAlone) {
        spec.unrotatedLayers = layersWhere(spec.layers, [&windowed](std::int64_t layer) {
            return !std::ranges::binary_search(windowed, layer);
        });
    }
    if (windowed.empty())
        return;
    spec.attentionWindow = window;
    if (std::cmp_less(windowed.size(), spec.layers))
        spec.windowedLayers = windowed;
}

} // namespace batchpeak::config

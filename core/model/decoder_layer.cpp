// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_layer.h"

#include <algorithm>

namespace batchpeak::model {

DecoderLayer decoderLayer(const DecoderSpec& spec, std::int64_t layer)
{
    const auto isAmong = [layer](const std::vector<std::int64_t>& layers) {
        return std::ranges::binary_search(layers, layer);
    };
    const bool isDense = layer < spec.denseLayers;
    return {.isRotated =
                spec.positionEmbedding == PositionEmbedding::Rotary && !isAmong(spec.unrotatedLayers),
            .isWindowed =
                spec.attentionWindow > 0 && (spec.windowedLayers.empty() || isAmong(spec.windowedLayers)),
            .hasExperts = hasExperts(spec) && !isDense,
            .feedForwardSize =
                isDense && spec.denseFeedForwardSize > 0 ? spec.denseFeedForwardSize : spec.feedForwardSize};
}

bool isCutByWindow(const DecoderSpec& spec, std::int64_t sequenceLength)
{
    return spec.attentionWindow > 0 && spec.attentionWindow < sequenceLength;
}

} // namespace batchpeak::model

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "decoder_spec.h"

#include <cstdint>

namespace batchpeak::model {

/// The properties of one decoder layer that may differ between layers. Sizes that all layers share are not
/// here.
struct DecoderLayer
{
    /// Whether queries and keys have rotary positions.
    bool isRotated = false;
    /// Whether a token attends only to the last attentionWindow tokens.
    bool isWindowed = false;
    bool hasExperts = false;
    /// Size of the only feed-forward layer, or of each routed expert.
    std::int64_t feedForwardSize = 0;
};

/// \param layer  index of the layer, from 0
DecoderLayer decoderLayer(const DecoderSpec& spec, std::int64_t layer);

/// Whether samples of \p sequenceLength tokens are longer than the attention window.
bool isCutByWindow(const DecoderSpec& spec, std::int64_t sequenceLength);

} // namespace batchpeak::model

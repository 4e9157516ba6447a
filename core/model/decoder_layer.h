// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "decoder_spec.h"

#include <cstdint>

namespace batchpeak::model {

/// What one layer of a decoder has, where its layers differ. It holds no sizes that all layers share.
struct DecoderLayer
{
    /// Queries and keys are turned by their positions.
    bool isRotated = false;
    /// A token attends to the last attentionWindow tokens alone.
    bool isWindowed = false;
    bool hasExperts = false;
    /// Of the one feed-forward layer, or of each routed expert.
    std::int64_t feedForwardSize = 0;
};

/// \param layer  from 0
DecoderLayer decoderLayer(const DecoderSpec& spec, std::int64_t layer);

/// Samples of so many tokens do not lie within the window as a whole.
bool isCutByWindow(const DecoderSpec& spec, std::int64_t sequenceLength);

} // namespace batchpeak::model

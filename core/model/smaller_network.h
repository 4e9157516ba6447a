// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"
#include "tuning.h"

#include <cstdint>
#include <optional>

namespace batchpeak::model {

/// Everything in a run that has to shrink together: the network, its tuning, and its samples.
struct RunSizes
{
    ModelSpec model;
    Tuning tuning = {};
    /// Number of tokens in a sample; 0 if unspecified.
    std::int64_t sequenceLength = 0;
    /// Number of tokens in the decoder's sequence, if it has one of its own.
    std::optional<std::int64_t> targetLength = std::nullopt;
    /// See StepOptions::packedTextLength.
    std::int64_t packedTextLength = 0;

    bool operator==(const RunSizes&) const = default;
};

/// Returns the same run shrunk so far that a step of it takes moments on any computer: reduced in width and
/// depth, but with the same kinds of layers, and the same operations in the same order.
///
/// The small network has every feature of the original one: gates, biases, grouped queries, shared
/// embeddings, experts of which a token takes some, windows that are shorter than the samples, adapters for
/// the same projections with the same scale. If not all layers are alike, two layers that differ are kept. No
/// size becomes larger, and small sizes are unchanged.
///
/// It does not judge whether the run is possible: the small run is possible if the original one is.
/// \param run  run of a network that problemWith() finds valid
/// \return nothing for a module from a file, whose sizes are fixed, and for a network of transformers
std::optional<RunSizes> shrunk(const RunSizes& run);

} // namespace batchpeak::model

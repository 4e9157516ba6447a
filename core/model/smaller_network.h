// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"
#include "tuning.h"

#include <cstdint>
#include <optional>

namespace batchpeak::model {

/// All of a run that has to become smaller together: a network, what is trained of it, and its samples.
struct RunSizes
{
    ModelSpec model;
    Tuning tuning = {};
    /// Tokens of a sample; 0 where nothing says how many.
    std::int64_t sequenceLength = 0;
    /// Of the decoder, where it reads a sequence of its own.
    std::optional<std::int64_t> targetLength = std::nullopt;
    /// As StepOptions has it.
    std::int64_t packedTextLength = 0;

    bool operator==(const RunSizes&) const = default;
};

/// The same run so small that a step of it takes moments on any computer: cut down in width and depth, but of
/// the same kinds of layers, with the same operations in the same order.
///
/// What a network has, the small one has: gates, biases, grouped queries, shared embeddings, experts of which
/// a token takes some, windows that are shorter than the samples, adapters beside the same projections that
/// are scaled alike. Of layers that are not all alike two stay that differ. Nothing becomes larger, and what
/// is small already stays.
///
/// It does not judge whether the run is possible: the small one is where the whole one is.
/// \param run  of a network that problemWith() finds sound
/// \return  nothing for a module from a file, which has the sizes that it was made with
std::optional<RunSizes> shrunk(const RunSizes& run);

} // namespace batchpeak::model

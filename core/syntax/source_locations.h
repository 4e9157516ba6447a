// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <optional>
#include <string>

namespace batchpeak::config {

/// The place of a value, so that the user can look it up.
struct SourceLocation
{
    /// Full name of the key in the config: "train_input.batch_size", "--micro-batch-size".
    std::string key;
    /// Position of the value itself: for an alias, a merge key, an interpolation or a variable, where the
    /// value is written. If the value is a mapping, a list or empty, the position of its key.
    TextPosition position;
    /// Whether the place is in the file that the network was taken from (ConfigContents::modelSource).
    bool isInModelSource = false;

    bool operator==(const SourceLocation&) const = default;
};

/// Returns the same place, marked as one in the file that the network was taken from.
inline std::optional<SourceLocation> inModelSource(std::optional<SourceLocation> place)
{
    if (place)
        place->isInModelSource = true;
    return place;
}

/// Places of the numbers that determine the batch of one phase.
struct BatchPlaces
{
    /// Absent if the batch is the product of the other two and not a number of its own.
    std::optional<SourceLocation> globalBatch;
    std::optional<SourceLocation> microBatch;
    std::optional<SourceLocation> accumulationSteps;

    bool operator==(const BatchPlaces&) const = default;
};

/// Places of the values that a user checks before a run. A place is absent if the config does not contain the
/// value, so that it is a default or follows from others.
struct SourceLocations
{
    /// Place of the network's description, or of the id that names it.
    std::optional<SourceLocation> network;
    BatchPlaces train;
    BatchPlaces eval;
    std::optional<SourceLocation> devices;
    std::optional<SourceLocation> sequenceLength;
    std::optional<SourceLocation> precision;
    std::optional<SourceLocation> optimizer;
    std::optional<SourceLocation> activationCheckpointing;
    std::optional<SourceLocation> lossChunks;
    std::optional<SourceLocation> gradientNorm;
    std::optional<SourceLocation> attention;

    bool operator==(const SourceLocations&) const = default;
};

/// Calls \p visit with the name of each value and its place, for those that have one.
template<typename Visit>
void visitPlaces(const SourceLocations& places, const Visit& visit)
{
    const auto one = [&visit](const char* name, const std::optional<SourceLocation>& place) {
        if (place)
            visit(name, *place);
    };
    one("network", places.network);
    one("train_batch_size", places.train.globalBatch);
    one("train_micro_batch_size", places.train.microBatch);
    one("train_accumulation_steps", places.train.accumulationSteps);
    one("eval_batch_size", places.eval.globalBatch);
    one("eval_micro_batch_size", places.eval.microBatch);
    one("eval_accumulation_steps", places.eval.accumulationSteps);
    one("devices", places.devices);
    one("sequence_length", places.sequenceLength);
    one("precision", places.precision);
    one("optimizer", places.optimizer);
    one("activation_checkpointing", places.activationCheckpointing);
    one("loss_chunk_rows", places.lossChunks);
    one("max_gradient_norm", places.gradientNorm);
    one("attention", places.attention);
}

} // namespace batchpeak::config

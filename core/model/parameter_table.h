// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"
#include "parameter.h"
#include "tuning.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

/// Returns all parameters of a network that is trained as a whole, in the order of the forward pass. The
/// parameters are defined nowhere else: their count, their memory and the tensors themselves all come from
/// this table.
std::vector<Parameter> parameterTable(const ModelSpec& spec);

/// Returns the table after a tuning is applied: frozen parameters, quantized matrices, adapters after their
/// matrices, and the originals of copies that are trained, as "original.NAME". The adapter of a projection in
/// the matrix NAME.weight is
///
///     NAME.PROJECTION.lora_a    {rank, inputs}
///     NAME.PROJECTION.lora_b    {outputs, rank}
///     NAME.PROJECTION.magnitude {outputs}         with DoRA
///
/// Embeddings that a network shares with its output are untied if only one of them is trained, as in PEFT
/// 0.18; then there is an "output.weight".
std::vector<Parameter> parameterTable(const ModelSpec& spec, const Tuning& tuning);
std::vector<Parameter> tunedTable(std::vector<Parameter> table, const Tuning& tuning);

/// Rows of a matrix that can have an adapter: those of one projection, or of several that are computed
/// together and have a name of their own.
struct AdapterPlace
{
    Projection projection = Projection::Query;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
};

/// Returns all places of a matrix; empty if it cannot have an adapter.
std::vector<AdapterPlace> adapterPlaces(const Parameter& matrix);

/// Rows of one of the original network's matrices, and whether products with it are rounded in training.
struct FakeQuantizedRows
{
    std::int64_t rows = 0;
    bool isRounded = false;

    bool operator==(const FakeQuantizedRows&) const = default;
};

/// Returns the original network's matrices that this one stands for, in the order of their rows; empty if
/// none of them is rounded.
std::vector<FakeQuantizedRows> fakeQuantizedRows(const Parameter& matrix, const Tuning& tuning);

/// Returns what makes the tuning impossible for this network, as a full sentence, or nothing if it is valid.
std::optional<std::string> problemWith(const ModelSpec& spec, const Tuning& tuning);

/// Returns the number of elements of all parameters; shared ones count once.
std::int64_t parameterCount(const ModelSpec& spec);

/// Element counts of parameters, as PEFT's print_trainable_parameters() counts them.
struct ParameterCounts
{
    std::int64_t trained = 0;
    std::int64_t frozen = 0;

    std::int64_t all() const { return trained + frozen; }
};

ParameterCounts parameterCounts(const ModelSpec& spec, const Tuning& tuning);
ParameterCounts parameterCounts(const std::vector<Parameter>& table);

} // namespace batchpeak::model

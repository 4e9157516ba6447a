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

/// Every parameter of a network all of which is trained, in the order of the forward pass. It is the one
/// place that knows which there are: the count, the memory they take, and the tensors themselves all come
/// from it.
std::vector<Parameter> parameterTable(const ModelSpec& spec);

/// The same with what a tuning makes of it: frozen parameters, matrices in narrow numbers, adapters behind
/// the matrices that they stand beside, and the originals of copies that are trained, as "original.NAME". The
/// adapter of a projection in the matrix NAME.weight is
///
///     NAME.PROJECTION.lora_a    {rank, inputs}
///     NAME.PROJECTION.lora_b    {outputs, rank}
///     NAME.PROJECTION.magnitude {outputs}         of DoRA
///
/// Embeddings that a network shares with its output come apart where one of them is trained and not the
/// other, as PEFT 0.18 has it; then there is an "output.weight".
std::vector<Parameter> parameterTable(const ModelSpec& spec, const Tuning& tuning);
std::vector<Parameter> tunedTable(std::vector<Parameter> table, const Tuning& tuning);

/// Rows of a matrix that an adapter can stand beside: those of one projection, or of several that are
/// computed together, under a name of their own.
struct AdapterPlace
{
    Projection projection = Projection::Query;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
};

/// All that there are of a matrix; none where it is nothing that an adapter can stand beside.
std::vector<AdapterPlace> adapterPlaces(const Parameter& matrix);

/// Rows of one of the network's own matrices, and whether products with it are rounded in training.
struct FakeQuantizedRows
{
    std::int64_t rows = 0;
    bool isRounded = false;

    bool operator==(const FakeQuantizedRows&) const = default;
};

/// The network's matrices that this one stands for, in the order of their rows; none where nothing of it is
/// rounded.
std::vector<FakeQuantizedRows> fakeQuantizedRows(const Parameter& matrix, const Tuning& tuning);

/// What makes the tuning impossible for this network, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const ModelSpec& spec, const Tuning& tuning);

/// Elements of all parameters, shared ones once.
std::int64_t parameterCount(const ModelSpec& spec);

/// Elements of parameters, as PEFT's print_trainable_parameters() counts them.
struct ParameterCounts
{
    std::int64_t trained = 0;
    std::int64_t frozen = 0;

    std::int64_t all() const { return trained + frozen; }
};

ParameterCounts parameterCounts(const ModelSpec& spec, const Tuning& tuning);
ParameterCounts parameterCounts(const std::vector<Parameter>& table);

} // namespace batchpeak::model

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parameter.h"
#include "run_kind.h"
#include "tuning.h"

#include <vector>

namespace batchpeak::model {

/// Size of an fp32 element, and of an fp16 or bf16 one [bytes].
inline constexpr double floatBytes = 4.0;
inline constexpr double halfBytes = 2.0;

/// Bytes that a network takes on one device between steps, independent of the micro-batch size.
struct HeldMemory
{
    double parameterBytes = 0.0;
    double gradientBytes = 0.0;
    /// Additional gradients that exist during part of the backward pass: if devices shard gradients, the full
    /// gradients before each device gets its shard; if the backward pass updates parameters, the largest
    /// gradient.
    double fullGradientBytes = 0.0;
    /// Optimizer state, master weights of 16-bit parameters, and working buffers of the optimizer.
    double optimizerBytes = 0.0;
    /// Additional bytes during the optimizer's step only.
    double optimizerRoomBytes = 0.0;
};

/// \param table  parameter table after tunedTable()
HeldMemory heldMemory(const std::vector<Parameter>& table, const Tuning& tuning, Phase phase,
                      Precision precision, Optimizer optimizer, const StepOptions& options);

/// Size of an element of a trained parameter, of a frozen one, and of an operand of a product [bytes].
struct ElementBytes
{
    double trained = 4.0;
    double frozen = 4.0;
    double product = 4.0;
};

ElementBytes elementBytes(Precision precision, const Tuning& tuning);
/// Returns the sizes of elements in the parameters that layers compute with. Parameters that are gathered
/// from several devices are cast before the transfer where autocast would cast them after it: MixedPrecision
/// of FSDP, whose param_dtype accelerate sets for bf16 (set_mixed_precision in utils/dataclasses.py).
ElementBytes gatheredBytes(Precision precision, const Tuning& tuning, Phase phase,
                           const StepOptions& options);

} // namespace batchpeak::model

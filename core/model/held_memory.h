// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parameter.h"
#include "run_kind.h"
#include "tuning.h"

#include <vector>

namespace batchpeak::model {

/// Bytes of an fp32 element, and of an fp16 or bf16 one.
inline constexpr double floatBytes = 4.0;
inline constexpr double halfBytes = 2.0;

/// Bytes that a network takes on one device between steps, whatever the micro-batch size.
struct HeldMemory
{
    double parameterBytes = 0.0;
    double gradientBytes = 0.0;
    /// Beside them for a part of backward: where devices share them, full gradients of which each gets its
    /// share; where backward updates parameters, the largest gradient.
    double fullGradientBytes = 0.0;
    /// The state of the optimizer, masters of narrow parameters, and its room to work on them.
    double optimizerBytes = 0.0;
    /// Beside all of this in the step of the optimizer alone.
    double optimizerRoomBytes = 0.0;
};

/// \param table  as the tuning has made it
HeldMemory heldMemory(const std::vector<Parameter>& table, const Tuning& tuning, Phase phase,
                      Precision precision, Optimizer optimizer, const StepOptions& options);

/// Bytes of an element of a parameter, and of an operand of a product.
struct ElementBytes
{
    double trained = 4.0;
    double frozen = 4.0;
    double product = 4.0;
};

ElementBytes elementBytes(Precision precision, const Tuning& tuning);
/// The same of parameters as layers compute with them. What is gathered from several devices is narrowed on
/// the way where autocast would narrow it behind: MixedPrecision of FSDP, whose param_dtype accelerate sets
/// for bf16 (set_mixed_precision in utils/dataclasses.py).
ElementBytes gatheredBytes(Precision precision, const Tuning& tuning, Phase phase,
                           const StepOptions& options);

} // namespace batchpeak::model

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parameter.h"
#include "run_kind.h"
#include "tuning.h"

#include <vector>

namespace batchpeak::model {

/// Bytes that a network takes between steps, whatever the micro-batch size.
struct HeldMemory
{
    double parameterBytes = 0.0;
    double gradientBytes = 0.0;
    /// The state of the optimizer, masters of narrow parameters, and its room to work on them.
    double optimizerBytes = 0.0;
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

} // namespace batchpeak::model

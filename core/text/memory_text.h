// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/step_memory.h"

#include <QString>

#include <vector>

namespace batchpeak::engine {

/// What a step holds, split by what it is for.
struct MemoryPart
{
    enum class Kind {
        /// Trained and frozen ones.
        Weights,
        Gradients,
        Optimizer,
        /// All else that does not grow with the size: narrow copies of matrices, tables.
        Copies
    };
    Kind kind = Kind::Weights;
    /// "weights", "gradients", "optimizer", "copies"
    QString name;
    double bytes = 0.0;
};

/// Of what does not grow with the size, those that are there, in the order of the enumeration.
std::vector<MemoryPart> memoryParts(const model::StepMemory& memory);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/step_memory.h"

#include <QString>

#include <vector>

namespace batchpeak::engine {

/// A part of the memory that a step holds, by its purpose.
struct MemoryPart
{
    enum class Kind {
        /// Trained and frozen weights.
        Weights,
        Gradients,
        Optimizer,
        /// Everything else that does not grow with the size: narrow copies of matrices, tables.
        Copies
    };
    Kind kind = Kind::Weights;
    /// "weights", "gradients", "optimizer", "copies"
    QString name;
    double bytes = 0.0;
};

/// Returns the parts that do not grow with the size and are present, in the order of the enumeration.
std::vector<MemoryPart> memoryParts(const model::StepMemory& memory);

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::model {

/// What a training step does beside its arithmetic: each trades time for memory, or costs both.
struct StepOptions
{
    /// Layers keep their inputs alone and run again in backward (arXiv 1604.06174).
    bool activationCheckpointing = false;
    /// The projection onto the vocabulary and its loss take so many tokens at a time; 0: all together.
    std::int64_t lossChunkRows = 0;
    /// Gradients are scaled down to this norm where theirs is above it; 0: they are left as they are.
    double maxGradientNorm = 0.0;

    bool operator==(const StepOptions&) const = default;
};

} // namespace batchpeak::model

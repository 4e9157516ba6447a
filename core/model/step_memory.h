// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"
#include "run_kind.h"
#include "tuning.h"

#include <cstdint>
#include <optional>

namespace batchpeak::model {

/// What belongs to a run and not to its network, as far as memory hangs on it.
struct StepSettings
{
    Phase phase = Phase::Train;
    /// Tokens of the longest sample; without meaning where samples are no sequences.
    std::int64_t sequenceLength = 0;
    /// Of the decoder's sequence, where it reads one of its own.
    std::int64_t targetLength = 0;
    Precision precision = Precision::Fp32;
    Optimizer optimizer = Optimizer::AdamW;
    StepOptions options;
    Tuning tuning;
};

/// Peak bytes of a step: of forward and backward, affine in the micro-batch size, and of the optimizer.
struct StepMemory
{
    /// Parameters, gradients, optimizer state and what else does not grow with the size: narrow copies of
    /// matrices, tables, masters' buffers.
    double constantBytes = 0.0;
    /// Of that, what training anywhere holds, as HeldMemory has it; full gradients among the gradients.
    double parameterBytes = 0.0;
    double gradientBytes = 0.0;
    double optimizerBytes = 0.0;
    double bytesPerSample = 0.0;
    /// What the step of the optimizer takes with all that is held meanwhile, whatever the size: more than the
    /// passes of few samples where the optimizer takes much for a moment.
    double optimizerStepBytes = 0.0;
    /// Standard deviation of the logarithm of what bytesPerSample is over the estimate.
    double deviation = 0.0;
    /// Most that each thread of a processor with a matrix unit (Intel AMX) takes beside all this, whatever
    /// the size: oneDNN packs operands of two bytes for the unit. 0 where no product has such operands.
    double packedBytesPerThread = 0.0;
};

/// What a step takes by the description alone, before anything was measured; nothing for a module from a
/// file, which no description tells of.
///
/// Parameters and optimizer are counted, the activations that backward keeps and the largest that live for a
/// moment are estimated operation by operation, after the networks of core/network. What an allocator rounds,
/// what libraries take as workspaces, of which one alone is bounded, and which kernel a device has is not
/// known here: attention is taken for a fused one wherever some device has that. The deviation is what
/// measured peaks on the CPU device scatter by (tests/core/network/tst_step_memory.cpp), and more where
/// kernels differ.
std::optional<StepMemory> stepMemory(const ModelSpec& spec, const StepSettings& settings);

} // namespace batchpeak::model

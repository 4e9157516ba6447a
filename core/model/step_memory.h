// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"
#include "run_kind.h"
#include "tuning.h"

#include <cstdint>
#include <optional>

namespace batchpeak::model {

/// Settings of a run, not of its network, that memory depends on.
struct StepSettings
{
    Phase phase = Phase::Train;
    /// Number of tokens in the longest sample; ignored if samples are not sequences.
    std::int64_t sequenceLength = 0;
    /// Number of tokens in the decoder's sequence, if it has one of its own.
    std::int64_t targetLength = 0;
    Precision precision = Precision::Fp32;
    Optimizer optimizer = Optimizer::AdamW;
    StepOptions options;
    Tuning tuning;
};

/// Peak memory of a step: of the forward and backward pass, which is affine in the micro-batch size, and of
/// the optimizer.
struct StepMemory
{
    /// Parameters, gradients, optimizer state and everything else that does not grow with the micro-batch
    /// size: 16-bit copies of matrices, tables, buffers of master weights.
    double constantBytes = 0.0;
    /// Parts of constantBytes that any training holds, see HeldMemory; gradients include full gradients.
    double parameterBytes = 0.0;
    double gradientBytes = 0.0;
    double optimizerBytes = 0.0;
    double bytesPerSample = 0.0;
    /// Peak of the optimizer's step including everything that is held meanwhile, independent of the
    /// micro-batch size. It exceeds that of forward and backward with few samples if the optimizer's
    /// temporary memory is large.
    double optimizerStepBytes = 0.0;
    /// Standard deviation of the logarithm of actual bytesPerSample / estimated bytesPerSample.
    double deviation = 0.0;
    /// Upper bound of the additional bytes for each thread of a processor with a matrix unit (Intel AMX),
    /// independent of the micro-batch size: oneDNN packs 16-bit operands for the unit. 0 if no product has
    /// such operands.
    double packedBytesPerThread = 0.0;
};

/// Estimates the memory of a step from the description of the network only, before anything is measured.
/// Returns nothing for a module from a file and for a network of transformers, whose layers the description
/// does not contain.
///
/// Parameters and optimizer state are counted. The activations that are kept for the backward pass and the
/// largest temporary ones are estimated operation by operation, after the networks of core/network. The
/// rounding of an allocator, the workspaces of libraries, of which only one is bounded, and the kernels of a
/// device are unknown here: attention is assumed to be fused wherever some device has a fused kernel. The
/// deviation is the scatter of peaks measured on the CPU device (tests/core/network/tst_step_memory.cpp), and
/// larger where kernels differ.
std::optional<StepMemory> stepMemory(const ModelSpec& spec, const StepSettings& settings);

} // namespace batchpeak::model

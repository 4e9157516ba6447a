// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "step_memory.h"

#include <optional>

namespace batchpeak::model {

/// Floating-point operations that a step needs for one sample, by the description alone: the model FLOPs of
/// Chowdhery et al., PaLM (arXiv 2204.02311, appendix B), from which the model FLOP utilization follows.
/// Nothing for a module from a file, which no description tells of.
///
/// Counted are the matrix products, attention among them, and the convolutions, a multiplication and an
/// addition as two. Backward takes twice what forward does. Attention counts every pair of tokens, masked or
/// not, as there, and of a window too, which is one more mask here. What a kernel does beyond that is no part
/// of it: layers that activation checkpointing runs again, padding, embeddings looked up, normalizations,
/// activations, softmax, the optimizer.
///
/// For decoders it is 6 N + 12 L H Q T for each of T tokens, N being the parameters that are multiplied with,
/// which are all but those of learned positions, normalizations, biases, an embedding that is looked up
/// alone, and experts that a token does not take.
///
/// Of \p settings only phase and lengths count.
std::optional<double> stepFlops(const ModelSpec& spec, const StepSettings& settings);

/// The arithmetic of those products, of which a device has its peak: that of the run, but TF32 where a
/// network of convolutions runs in fp32 and cuDNN may take TF32 for them.
Precision productPrecision(const ModelSpec& spec, Precision precision, const StepOptions& options);

} // namespace batchpeak::model

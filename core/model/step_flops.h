// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "step_memory.h"

#include <optional>
#include <vector>

namespace batchpeak::model {

/// Returns the floating-point operations that a step needs for one sample, as the mean over the settings of
/// several samples, from the description of the network only: the model FLOPs of Chowdhery et al., PaLM
/// (arXiv 2204.02311, appendix B), from which the model FLOP utilization follows. Returns nothing for a
/// module from a file and for a network of transformers, whose layers the description does not contain.
///
/// It counts the matrix products, including attention, and the convolutions; a multiplication and an addition
/// count as two operations. The backward pass takes twice as many as the forward pass. Attention counts every
/// pair of tokens, masked or not, as in the paper, and also with a window, which is one more mask here; pairs
/// across packed texts are left out if the kernel takes no masks. The count does not include what a kernel
/// does beyond that: layers that activation checkpointing recomputes, padding, lookups of embeddings,
/// normalizations, activations, softmax, the optimizer.
///
/// For decoders it is 6 N + 12 L H Q T for each of T tokens, where N is the number of parameters that are
/// multiplied with: all except those of learned positions, normalizations, biases, an embedding that is only
/// looked up, and experts that a token does not take.
///
/// It only uses, of the settings, the phase, the lengths, and the attention kernel for packed texts.
std::optional<double> stepFlops(const ModelSpec& spec, const std::vector<StepSettings>& samples);

/// Returns the precision of those products, which selects the device's peak: that of the run, but TF32 if a
/// convolutional network runs in fp32 and cuDNN may use TF32 for convolutions.
Precision productPrecision(const ModelSpec& spec, Precision precision, const StepOptions& options);

} // namespace batchpeak::model

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_memory.h"
#include "parameter.h"
#include "step_memory.h"

#include <vector>

namespace batchpeak::model {

// Memory of the projection onto classes or a vocabulary ("choices") and of its loss, after
// core/network/networks/token_loss.cpp.

/// Returns the bytes for the projection of \p rows rows onto a vocabulary or onto classes, and for its cross
/// entropy. The backward pass holds the log-probabilities, their gradient and that of the logits at once,
/// each in fp32.
double lossBytes(double rows, double choices, const Widths& widths, Phase phase);

/// Returns the bytes for the loss of a token network. Its rows may be computed in chunks, whose memory does
/// not grow with the number of samples; but the gradient of the hidden state exists for all rows at once.
double tokenLossBytes(double rows, double choices, double hidden, const Widths& widths,
                      const StepSettings& settings, bool isCapped = false);

/// Returns the bytes for the logits of a chunk with their probabilities and gradient.
double chunkBytes(double choices, const StepSettings& settings, bool isCapped = false);

/// Returns the bytes for the gradient of a trained output, to which all chunks add before it is added to the
/// gradient of the step.
double chunkGradientBytes(const std::vector<Parameter>& table, const StepSettings& settings);

} // namespace batchpeak::model

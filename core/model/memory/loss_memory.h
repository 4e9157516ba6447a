// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_memory.h"
#include "parameter.h"
#include "step_memory.h"

#include <vector>

namespace batchpeak::model {

// Bytes of the projection onto choices and of its loss, after core/network/networks/token_loss.cpp.

/// The projection onto a vocabulary or onto classes, and its cross entropy, of so many rows. Backward holds
/// logarithms of chances, their gradient and that of the logits at once, each in fp32.
double lossBytes(double rows, double choices, const Widths& widths, Phase phase);

/// The same of a network of tokens, whose rows may be taken in chunks, which need no more for more samples;
/// but the hidden state gets its gradient at once.
double tokenLossBytes(double rows, double choices, double hidden, const Widths& widths,
                      const StepSettings& settings, bool isCapped = false);

/// Logits of a chunk with their chances and gradient.
double chunkBytes(double choices, const StepSettings& settings, bool isCapped = false);

/// The gradient of an output that learns, which all chunks add to before it is added to that of the step.
double chunkGradientBytes(const std::vector<Parameter>& table, const StepSettings& settings);

} // namespace batchpeak::model

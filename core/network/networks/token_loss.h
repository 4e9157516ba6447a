// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_operations.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// How the rows of a loss are taken, and what lies between the projection and the loss.
struct LossCut
{
    /// Above 0, so many rows at a time are projected and their gradients made at once, in forward, so that
    /// logits of all rows never exist together: slope of memory 20.3 -> 8.4 MiB a sample, gradients equal to
    /// 2.8e-7 (measured on torch 2.11.0; after Liger kernels, arXiv 2410.10989, 3.2). The result can be
    /// differentiated once. Not of an output with adapters.
    std::int64_t chunkRows = 0;
    /// Of chunks: each keeps its rows alone, and backward computes it again.
    bool recomputes = false;
    /// Else in so many parts, one behind the other, each of which backward goes through by itself: less for a
    /// moment, but logits of all stay until then.
    std::int64_t parts = 1;
    /// Dropout before an adapter of the output is active.
    bool trains = false;
    /// Logits are softCapped() before the loss; 0 for none.
    double softCap = 0.0;
};

/// The cross entropy of tokens that a projection onto the vocabulary predicts [nats]: their sum over
/// all counted targets, divided by \p normalizer, a scalar.
///
/// \param hidden  {rows, hidden size}
/// \param output  weight {vocabulary, hidden size}
/// \param targets  int64 {rows}; ignoredTarget where nothing is counted
at::Tensor tokenLoss(const at::Tensor& hidden, const Affine& output, const at::Tensor& targets,
                     double normalizer, const LossCut& cut);

} // namespace batchpeak::network

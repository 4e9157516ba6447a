// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace batchpeak::network {

/// Runs a part of a network so that only its inputs are kept for the backward pass, which runs the part again
/// (activation checkpointing, arXiv 1604.06174). Dropout and autocast are the same both times, so that
/// gradients are too, bit for bit.
///
/// \param part  function of its inputs and of parameters; it must outlive the backward pass, and so must
///        everything that it refers to
/// \param inputs  at least one must require a gradient, otherwise the backward pass does not reach the part
at::Tensor checkpointed(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& part,
                        const std::vector<at::Tensor>& inputs);

} // namespace batchpeak::network

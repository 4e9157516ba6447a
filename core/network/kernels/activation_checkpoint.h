// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace batchpeak::network {

/// Runs a part of a network so that only its inputs are kept for backward, where it runs again
/// (arXiv 1604.06174). Dropout and automatic bf16 arithmetic are the same both times, so that gradients
/// are too, bit for bit.
///
/// \param part  a function of its inputs and of parameters; it outlives backward, and so does all it
///        refers to
/// \param inputs  at least one needs a gradient, else backward does not reach the part
at::Tensor checkpointed(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& part,
                        const std::vector<at::Tensor>& inputs);

} // namespace batchpeak::network

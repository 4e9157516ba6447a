// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace batchpeak::network {

/// The feed-forward layer of one expert: tokens {n, hidden size} in, as many out.
using Expert = std::function<at::Tensor(const at::Tensor& tokens, std::size_t index)>;

/// Sends every token through the experts that the router prefers for it, and adds up what they say, each
/// weighted by the router's softmax over the chosen ones (Mixtral, arXiv 2401.04088, 2.1). Tokens are
/// gathered for each expert, so that its work is one product of all of them; how many those are decides
/// the shapes, so the host waits for the device here, as it does in every eager implementation.
///
/// \param tokens  {n, hidden size}
/// \param router  {experts, hidden size}
at::Tensor mixed(const at::Tensor& tokens, const at::Tensor& router, std::int64_t expertsPerToken,
                 const Expert& expert);

} // namespace batchpeak::network

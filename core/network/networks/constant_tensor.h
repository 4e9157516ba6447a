// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

namespace batchpeak::network {

/// Returns a scalar tensor on the host that can replace a number in an operation, for which the operation
/// would allocate a tensor.
/// \param number  must live as long as the tensor
inline at::Tensor constantTensor(const float& number)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): tensors of constants there are none
    return at::from_blob(const_cast<float*>(&number), {}, at::kFloat);
}

} // namespace batchpeak::network

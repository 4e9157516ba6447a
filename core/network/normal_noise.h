// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network.h"

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

namespace batchpeak::network {

/// Normally distributed floats on the device, those of each sample from its key alone. They are made there:
/// a host would take longer to make images than a GPU to train on them.
///
/// \param shape  of one sample
/// \param options  type and device of the result
/// \return {samples, shape...}
at::Tensor normalNoise(std::span<const SampleRow> rows, const std::vector<std::int64_t>& shape,
                       const at::TensorOptions& options);

} // namespace batchpeak::network

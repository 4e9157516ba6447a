// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <ATen/core/Tensor.h>

namespace batchpeak::network {

/// \param inner  what the first product of a feed-forward layer gives; of a gated one, gate beside value
///        in the last dimension, which halves
at::Tensor activated(const at::Tensor& inner, model::Activation kind);

} // namespace batchpeak::network

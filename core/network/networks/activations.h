// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <ATen/core/Tensor.h>

namespace batchpeak::network {

/// Returns the activation of a feed-forward layer.
///
/// \param inner  result of the first product of a feed-forward layer; for a gated layer, gate beside value in
///        the last dimension, which the function halves
at::Tensor activated(const at::Tensor& inner, model::Activation kind);

} // namespace batchpeak::network

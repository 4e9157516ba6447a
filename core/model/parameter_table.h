// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"
#include "parameter.h"

#include <cstdint>
#include <vector>

namespace batchpeak::model {

/// Every trainable parameter, in the order of the forward pass. It is the one place that knows which
/// there are: the count, the memory they take, and the tensors themselves all come from it.
std::vector<Parameter> parameterTable(const ModelSpec& spec);

/// Elements of all parameters, shared ones once.
std::int64_t parameterCount(const ModelSpec& spec);

} // namespace batchpeak::model

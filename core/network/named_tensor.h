// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace batchpeak::network {

struct NamedTensor
{
    std::string name;
    at::Tensor tensor;
};

} // namespace batchpeak::network

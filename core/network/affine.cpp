// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "affine.h"

#include "flat_parameters.h"

#include <ATen/ops/linear.h>

namespace batchpeak::network {

Affine affineOf(const FlatParameters& parameters, const std::string& name)
{
    const auto orUndefined = [&parameters](const std::string& key) {
        return parameters.contains(key) ? parameters.at(key) : at::Tensor();
    };
    return {.weight = orUndefined(name + ".weight"), .bias = orUndefined(name + ".bias")};
}

at::Tensor linear(const at::Tensor& input, const Affine& affine)
{
    return at::linear(input, affine.weight, affine.bias);
}

} // namespace batchpeak::network

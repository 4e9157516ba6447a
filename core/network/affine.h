// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace batchpeak::network {

class FlatParameters;

/// The weight and the bias of one operation; either may be undefined, where the network has none.
struct Affine
{
    at::Tensor weight;
    at::Tensor bias;
};

/// "name.weight" and "name.bias", each undefined where the parameters hold no such name.
Affine affineOf(const FlatParameters& parameters, const std::string& name);

/// input x weight^T + bias; weight {outputs, inputs}.
at::Tensor linear(const at::Tensor& input, const Affine& affine);

} // namespace batchpeak::network

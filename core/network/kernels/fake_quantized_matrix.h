// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/parameter_table.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace batchpeak::network {

class FlatParameters;

/// How the products with one matrix are rounded while it is trained.
struct FakeQuantizedMatrix
{
    model::FakeQuantization rounding;
    /// The matrices of the original network, in the order of their rows. Training frameworks round the inputs
    /// of each separately, so each is a separate product here too, although one product would do: the numbers
    /// would be the same, but not the time, nor what is kept for the backward pass.
    std::vector<model::FakeQuantizedRows> parts;
};

/// Returns how the products with a matrix are rounded.
///
/// \param name  name of the matrix or the embedding without ".weight"; it need not be among the parameters
///        itself, for example if an output uses the embedding's matrix
/// \return null if nothing is rounded
std::shared_ptr<const FakeQuantizedMatrix> fakeQuantizedMatrixOf(const FlatParameters& parameters,
                                                                 const std::string& name);

/// Returns the values that weights {outputs, inputs} have after quantization. It runs the same operations as
/// torchao 0.13 (IntxFakeQuantizer in quantization/qat/fake_quantizer.py, NVFP4FakeQuantizer in
/// prototype/qat/nvfp4.py), because they decide what is kept for the backward pass. Integers pass gradients
/// on where values are in their range; the scales of nvfp4 have gradients too.
at::Tensor fakeQuantized(const at::Tensor& weights, const model::FakeQuantization& rounding);
/// Does the same for the inputs of a product, in any shape.
at::Tensor fakeQuantizedInputs(const at::Tensor& inputs, const model::FakeQuantization& rounding);

/// Returns input x weight^T + bias. Input and weight are rounded as the matrix says, the bias is not; the
/// bias may be undefined.
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                  const FakeQuantizedMatrix& matrix);

} // namespace batchpeak::network

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

/// How products with one matrix are rounded while it is trained.
struct FakeQuantizedMatrix
{
    model::FakeQuantization rounding;
    /// The network's own matrices, in the order of their rows. Trainers round the inputs of each anew, so
    /// each is a product of its own here too, though ours would be one: the numbers are the same, but not
    /// the time, nor what backward keeps.
    std::vector<model::FakeQuantizedRows> parts;
};

/// \param name  of the matrix or the embedding without ".weight"; it need not be among the parameters itself,
///              as of an output that is the embedding's
/// \return null where nothing is rounded
std::shared_ptr<const FakeQuantizedMatrix> fakeQuantizedMatrixOf(const FlatParameters& parameters,
                                                                 const std::string& name);

/// Values of the numbers that weights {outputs, inputs} are to be quantized to, operation by operation as
/// torchao 0.13 computes them (IntxFakeQuantizer in quantization/qat/fake_quantizer.py, NVFP4FakeQuantizer in
/// prototype/qat/nvfp4.py), since what backward keeps hangs on that. Integers pass gradients on where values
/// are in their range; scales of nvfp4 have gradients too.
at::Tensor fakeQuantized(const at::Tensor& weights, const model::FakeQuantization& rounding);
/// The same of the inputs of a product, in any shape.
at::Tensor fakeQuantizedInputs(const at::Tensor& inputs, const model::FakeQuantization& rounding);

/// input x weight^T + bias, each rounded as the matrix says, the bias not; it may be undefined.
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                  const FakeQuantizedMatrix& matrix);

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

class QuantizedMatrix;

/// input x matrix^T + bias, where the matrix gets no gradient: its values are made for each product and
/// dropped behind it, forward and backward (MatMul4Bit of bitsandbytes, LinearNF4 of torchao).
///
/// Of 8 bits so in training on the CPU, as MatMul8bitFp of bitsandbytes 0.50 has it; else integers are
/// multiplied forward (integerProduct(), MatMul8bitLt), where their shapes can be. Either way bitsandbytes
/// keeps the input until backward, which does not read it, and so is it here.
///
/// \param matrix  outlives backward
/// \param bias  may be undefined
/// \param trains  the network is trained, and not evaluated
at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& matrix, const at::Tensor& bias,
                  bool trains);
/// The same with one of the matrices that are stacked in a third dimension, whose values are always made.
at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& stack, std::int64_t index);

} // namespace batchpeak::network

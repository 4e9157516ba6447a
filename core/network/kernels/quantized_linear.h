// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

class QuantizedMatrix;

/// Returns input x matrix^T + bias, where the matrix gets no gradient: its values are dequantized for each
/// product and dropped after it, forward and backward (MatMul4Bit of bitsandbytes, LinearNF4 of torchao).
///
/// For matrices of 8 bits the forward pass does this only in training on the CPU, as MatMul8bitFp of
/// bitsandbytes 0.50 does. Otherwise it multiplies integers (integerProduct(), MatMul8bitLt) if the shapes
/// allow it. In both cases bitsandbytes keeps the input until the backward pass, which does not read it, and
/// so does this function.
///
/// \param matrix  must outlive the backward pass
/// \param bias  may be undefined
/// \param trains  whether the network is trained, and not evaluated
at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& matrix, const at::Tensor& bias,
                  bool trains);
/// Does the same with one of the matrices that are stacked in a third dimension. Its values are always
/// dequantized.
at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& stack, std::int64_t index);

} // namespace batchpeak::network

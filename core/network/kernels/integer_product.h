// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// A matrix in 8-bit integers with the largest absolute value of each row: weight and SCB of Linear8bitLt in
/// bitsandbytes 0.50.
struct IntegerMatrix
{
    /// int8 {outputs, inputs}
    at::Tensor codes;
    /// float32 {outputs}
    at::Tensor largest;
};

struct IntegerProduct
{
    at::Tensor result;
    /// Input columns that have a value too large for 8 bits, unquantized. bitsandbytes keeps them for the
    /// backward pass; undefined if there are none.
    at::Tensor outliers;
};

/// Whether two matrices of such shapes can be multiplied in integers.
///
/// libtorch's product has limits on GPUs (aten/src/ATen/native/cuda/Blas.cpp of PyTorch 2.11,
/// _int_mm_out_cuda: more than 16 rows, and inputs and outputs that are multiples of 8) which bitsandbytes'
/// call of the same cuBLASLt does not have. The shapes that networks train on are within them.
bool multipliesIntegers(const at::Tensor& rows, const at::Tensor& codes);

/// Returns rows x matrix^T + bias as LLM.int8() computes it (arXiv 2208.07339): each row is quantized to 8
/// bits by its largest value, columns with outliers are computed separately, and the integers are multiplied
/// and scaled back. The operations are those of MatMul8bitLt.forward() in bitsandbytes/autograd/_functions.py
/// of 0.50.2; the kernels of its backends/default/ops.py are replaced by libtorch's operations.
///
/// On a GPU bitsandbytes has one kernel to quantize rows and one to scale back. Here both are several
/// operations: more bytes are moved, and the time is not that of a run with bitsandbytes.
///
/// \param rows  {n, inputs}
/// \param bias  may be undefined
IntegerProduct integerProduct(const at::Tensor& rows, const IntegerMatrix& matrix, const at::Tensor& bias);

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// A matrix in 8-bit integers with the largest value of each row: weight and SCB of Linear8bitLt in
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
    /// Columns of the rows with a value that is too large for 8 bits, as they are, which bitsandbytes keeps
    /// for backward; undefined where there are none.
    at::Tensor outliers;
};

/// The product takes two matrices of such shapes in integers.
///
/// libtorch's has limits on GPUs (aten/src/ATen/native/cuda/Blas.cpp of PyTorch 2.11, _int_mm_out_cuda: more
/// than 16 rows, and inputs and outputs that are multiples of 8) which bitsandbytes' call of the same
/// cuBLASLt has not. What networks train on is within them.
bool multipliesIntegers(const at::Tensor& rows, const at::Tensor& codes);

/// rows x matrix^T + bias as LLM.int8() has it (arXiv 2208.07339): rows are quantized to 8 bits each by its
/// largest value, columns with outliers taken apart, integers multiplied and scaled back. The operations are
/// those of MatMul8bitLt.forward() in bitsandbytes/autograd/_functions.py of 0.50.2, with the kernels of
/// backends/default/ops.py in libtorch's operations.
///
/// On a GPU bitsandbytes has one kernel for the quantization of rows and one for the scaling back, where here
/// are several operations: more bytes are moved, and the time is not the run's.
///
/// \param rows  {n, inputs}
/// \param bias  may be undefined
IntegerProduct integerProduct(const at::Tensor& rows, const IntegerMatrix& matrix, const at::Tensor& bias);

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// A matrix in 4-bit NormalFloat as NF4Tensor of torchao 0.13 holds it (torchao/dtypes/nf4tensor.py), which
/// torchtune uses for its frozen matrices. bitsandbytes has other codes, other scales and a kernel of its
/// own. torchao dequantizes by plain PyTorch operations. Here they are the same ones in the same order, with
/// the same tensors alive at the same time, so that time and memory are torchao's.
///
/// torchao refuses a matrix whose element count is not a multiple of 64 x 256. Here the last block of such a
/// matrix is padded with zeros.
struct TorchaoNf4
{
    /// quantized_data: uint8 with two values in each byte, the first in the upper half.
    at::Tensor codes;
    /// quantized_scalers: one int8 for each 64 values.
    at::Tensor scales;
    /// quantization_factor, one for each 256 scales, and scaler_mean, both in the dtype of the values.
    at::Tensor factors;
    at::Tensor mean;
    /// nf4: the 16 numbers that codes stand for. Every matrix has its own copy.
    at::Tensor numbers;
};

/// NF4Tensor.from_tensor().
/// \param values  flat, in the dtype that the matrix computes in by default
TorchaoNf4 torchaoNf4(const at::Tensor& values);

/// NF4Tensor.get_original_weight(), in the dtype of the values that the matrix was made from.
/// \param result  flat tensor of all elements, which the last operation writes to; undefined for a new tensor
/// \return flat
at::Tensor expanded(const TorchaoNf4& matrix, std::int64_t elements, const at::Tensor& result = {});

/// Returns the bytes of each tensor, in the order of the members above.
std::vector<std::int64_t> torchaoNf4Bytes(std::int64_t elements, std::int64_t elementBytes);

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// A matrix in 4-bit NormalFloat as NF4Tensor of torchao 0.13 holds it (torchao/dtypes/nf4tensor.py), which
/// torchtune has for its frozen matrices. bitsandbytes has other codes, other scales and a kernel of its own;
/// torchao expands by plain operations of PyTorch, and here they are the same ones in the same order, with
/// the same tensors alive at the same time, so that time and memory are torchao's.
///
/// Where torchao refuses a matrix, whose elements are no multiple of 64 x 256, the last block is filled up
/// with zeros.
struct TorchaoNf4
{
    /// uint8, two values in each, the first in the upper half: quantized_data.
    at::Tensor codes;
    /// int8, of each 64 values: quantized_scalers.
    at::Tensor scales;
    /// Of each 256 scales, and their mean, in the type of the values: quantization_factor and scaler_mean.
    at::Tensor factors;
    at::Tensor mean;
    /// The 16 numbers that codes stand for, which every matrix has for itself: nf4.
    at::Tensor numbers;
};

/// NF4Tensor.from_tensor().
/// \param values  flat, in the type that the matrix computes in where nothing else is asked for
TorchaoNf4 torchaoNf4(const at::Tensor& values);

/// NF4Tensor.get_original_weight(), in the type of the values that it was made of.
/// \param result  flat, of all elements, for what comes last; undefined for a tensor of its own
/// \return flat
at::Tensor expanded(const TorchaoNf4& matrix, std::int64_t elements, const at::Tensor& result = {});

/// Bytes of each tensor, in the order above.
std::vector<std::int64_t> torchaoNf4Bytes(std::int64_t elements, std::int64_t elementBytes);

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/tuning.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// A frozen matrix in 4-bit NormalFloat with a scale for each block of 64 values, which may be quantised once
/// more (arXiv 2305.14314), or in 8-bit integers with a scale for each row (arXiv 2208.07339). Values, bytes
/// and their order are those of bitsandbytes 0.49.
///
/// It decides how values lie in memory and gives them back in a type that products take. It computes no
/// product.
class QuantizedMatrix
{
public:
    QuantizedMatrix() = default;
    /// \param values  {outputs, inputs}, or more dimensions, all but the last taken as outputs
    /// \param weights  Nf4 or Int8
    /// \param doubleQuantization  of Nf4: the scales are quantised too
    QuantizedMatrix(const at::Tensor& values, model::FrozenWeights weights, bool doubleQuantization);

    bool defined() const { return m_codes.defined(); }
    at::IntArrayRef sizes() const { return m_shape; }
    at::Device device() const { return m_codes.device(); }

    /// All values, in the shape of the matrix.
    at::Tensor dequantized(at::ScalarType type) const;
    /// Those of one of the matrices that are stacked in a third dimension.
    at::Tensor dequantized(at::ScalarType type, std::int64_t index) const;

    /// Bytes of each tensor that it holds.
    static std::vector<std::int64_t> tensorBytes(const std::vector<std::int64_t>& shape,
                                                 model::FrozenWeights weights, bool doubleQuantization);

private:
    void quantizeNf4(const at::Tensor& values, bool doubleQuantization);
    void quantizeInt8(const at::Tensor& values);
    at::Tensor blockScales() const;

    std::vector<std::int64_t> m_shape;
    /// Nf4: uint8, two values in each, the first in the upper half. Int8: int8.
    at::Tensor m_codes;
    /// Nf4: of each block of values, float32, or uint8 where they are quantised too. Int8: of each row,
    /// float32.
    at::Tensor m_scales;
    /// Of each block of 256 scales, float32; and what is added to all. Undefined where scales are not
    /// quantised.
    at::Tensor m_scalesOfScales;
    at::Tensor m_meanScale;
};

/// input x matrix^T + bias, where the matrix gets no gradient: its values are made for each product and
/// dropped behind it, forward and backward (MatMul4Bit of bitsandbytes).
///
/// \param matrix  outlives backward
/// \param bias  may be undefined
at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& matrix, const at::Tensor& bias);
/// The same with one of the matrices that are stacked in a third dimension.
at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& stack, std::int64_t index);

} // namespace batchpeak::network

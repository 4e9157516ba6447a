// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "integer_product.h"
#include "model/tuning.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// A frozen matrix in 4-bit NormalFloat with a scale for each block of 64 values, where the scales may be
/// quantized too (arXiv 2305.14314), or in 8-bit integers with a scale for each row (arXiv 2208.07339).
/// Values, bytes and their order are those of bitsandbytes 0.49, or those of torchao (TorchaoNf4).
///
/// It decides how values lie in memory, and returns them in a dtype that products take. It computes no
/// product.
class QuantizedMatrix
{
public:
    QuantizedMatrix() = default;
    /// \param values  {outputs, inputs}, or more dimensions, of which all but the last are taken as outputs
    /// \param rows  numbers of rows of the matrices that are quantized separately, one after the other; empty
    ///        for a single matrix
    /// \param weights  Nf4, TorchaoNf4 or Int8
    /// \param doubleQuantization  for Nf4: whether the scales are quantized too, as those of TorchaoNf4
    ///        always are
    QuantizedMatrix(const at::Tensor& values, const std::vector<std::int64_t>& rows,
                    model::FrozenWeights weights, bool doubleQuantization);

    bool defined() const { return !m_parts.empty(); }
    at::IntArrayRef sizes() const { return m_shape; }

    /// Returns all values, in the shape of the matrix.
    at::Tensor dequantized(at::ScalarType type) const;
    /// Returns the values of one of the matrices that are stacked in a third dimension.
    at::Tensor dequantized(at::ScalarType type, std::int64_t index) const;

    model::FrozenWeights weights() const { return m_weights; }
    /// Returns the number of matrices that are quantized separately. Training runs multiply by one after the
    /// other: each is dequantized for its own product, and dropped before the next.
    std::size_t partCount() const { return m_parts.size(); }
    std::int64_t rowsOf(std::size_t part) const { return m_parts.at(part).elements / m_shape.back(); }
    /// Returns {outputs of this part, inputs}.
    at::Tensor dequantizedPart(at::ScalarType type, std::size_t part) const;
    /// Returns one part of an Int8 matrix as it lies in memory.
    IntegerMatrix integersOf(std::size_t part) const;

    /// Uses the codes of another matrix of the same shape from now on, in the same memory, and keeps its own
    /// scales.
    void borrowCodes(const QuantizedMatrix& lender);

    /// Returns the bytes of all codes, without scales.
    static std::int64_t codeBytes(const std::vector<std::int64_t>& shape,
                                  const std::vector<std::int64_t>& rows, model::FrozenWeights weights);
    /// Returns the bytes of each tensor that it holds; for each of its parts the codes come first.
    /// \param valueType  dtype of the values that it is made from
    static std::vector<std::int64_t> tensorBytes(const std::vector<std::int64_t>& shape,
                                                 const std::vector<std::int64_t>& rows,
                                                 model::FrozenWeights weights, bool doubleQuantization,
                                                 at::ScalarType valueType);

private:
    struct Part
    {
        std::int64_t elements = 0;
        /// Nf4: uint8 with two values in each byte, the first in the upper half. Int8: int8 {rows, inputs}.
        at::Tensor codes;
        /// Nf4: the scale of each block of values, float32, or uint8 if the scales are quantized too. Int8:
        /// the largest absolute value of each row, float32.
        at::Tensor scales;
        /// The scale of each block of 256 scales, float32, and the mean that is added to all scales.
        /// Undefined if scales are not quantized.
        at::Tensor scalesOfScales;
        at::Tensor meanScale;
        /// The 16 numbers that codes of TorchaoNf4 stand for; otherwise undefined. TorchaoNf4 has its scales
        /// in int8, and the two tensors above in the dtype of its values.
        at::Tensor numbers;
    };

    static Part narrowFloat(const at::Tensor& values, bool doubleQuantization);
    static Part torchaoNarrowFloat(const at::Tensor& values);
    static Part integers(const at::Tensor& values);
    static Part quantized(const at::Tensor& values, model::FrozenWeights weights, bool doubleQuantization);
    static at::Tensor blockScales(const Part& part, std::int64_t first, std::int64_t count);
    static at::Tensor torchaoValues(const Part& part, const at::Tensor& result = {});
    /// \param values  flat tensor to be filled
    void fillFlat(const Part& part, const at::Tensor& values) const;

    std::vector<std::int64_t> m_shape;
    model::FrozenWeights m_weights = model::FrozenWeights::Nf4;
    std::vector<Part> m_parts;
};

} // namespace batchpeak::network

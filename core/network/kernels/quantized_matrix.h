// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "integer_product.h"
#include "model/tuning.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// A frozen matrix in 4-bit NormalFloat with a scale for each block of 64 values, which may be quantized once
/// more (arXiv 2305.14314), or in 8-bit integers with a scale for each row (arXiv 2208.07339). Values, bytes
/// and their order are those of bitsandbytes 0.49, or those of torchao (TorchaoNf4).
///
/// It decides how values lie in memory and gives them back in a type that products take. It computes no
/// product.
class QuantizedMatrix
{
public:
    QuantizedMatrix() = default;
    /// \param values  {outputs, inputs}, or more dimensions, all but the last taken as outputs
    /// \param rows  of matrices that are quantized each by itself, one behind the other; empty for one
    /// \param weights  Nf4, TorchaoNf4 or Int8
    /// \param doubleQuantization  of Nf4: the scales are quantized too, as those of TorchaoNf4 always are
    QuantizedMatrix(const at::Tensor& values, const std::vector<std::int64_t>& rows,
                    model::FrozenWeights weights, bool doubleQuantization);

    bool defined() const { return !m_parts.empty(); }
    at::IntArrayRef sizes() const { return m_shape; }

    /// All values, in the shape of the matrix.
    at::Tensor dequantized(at::ScalarType type) const;
    /// Those of one of the matrices that are stacked in a third dimension.
    at::Tensor dequantized(at::ScalarType type, std::int64_t index) const;

    model::FrozenWeights weights() const { return m_weights; }
    /// The matrices that are quantized each by itself, which runs multiply by one after the other: each is
    /// brought back for its own product, and dropped before the next.
    std::size_t partCount() const { return m_parts.size(); }
    std::int64_t rowsOf(std::size_t part) const { return m_parts.at(part).elements / m_shape.back(); }
    /// {outputs of that one, inputs}
    at::Tensor dequantizedPart(at::ScalarType type, std::size_t part) const;
    /// Of Int8: one of them as it lies in memory.
    IntegerMatrix integersOf(std::size_t part) const;

    /// Has the codes of another one of its shape from now on, in the same memory, and keeps its own scales.
    void borrowCodes(const QuantizedMatrix& lender);

    /// Of all codes, without scales.
    static std::int64_t codeBytes(const std::vector<std::int64_t>& shape,
                                  const std::vector<std::int64_t>& rows, model::FrozenWeights weights);
    /// Bytes of each tensor that it holds, of each of its matrices the codes first.
    /// \param valueType  of the values that it is made of
    static std::vector<std::int64_t> tensorBytes(const std::vector<std::int64_t>& shape,
                                                 const std::vector<std::int64_t>& rows,
                                                 model::FrozenWeights weights, bool doubleQuantization,
                                                 at::ScalarType valueType);

private:
    struct Part
    {
        std::int64_t elements = 0;
        /// Nf4: uint8, two values in each, the first in the upper half. Int8: int8 {rows, inputs}.
        at::Tensor codes;
        /// Nf4: of each block of values, float32, or uint8 where they are quantized too. Int8: the largest of
        /// each row, float32.
        at::Tensor scales;
        /// Of each block of 256 scales, float32; and what is added to all. Undefined where scales are not
        /// quantized.
        at::Tensor scalesOfScales;
        at::Tensor meanScale;
        /// Of TorchaoNf4, which has its scales in int8 and its own type for what is above; else undefined.
        at::Tensor numbers;
    };

    static Part narrowFloat(const at::Tensor& values, bool doubleQuantization);
    static Part torchaoNarrowFloat(const at::Tensor& values);
    static Part integers(const at::Tensor& values);
    static Part quantized(const at::Tensor& values, model::FrozenWeights weights, bool doubleQuantization);
    static at::Tensor blockScales(const Part& part, std::int64_t first, std::int64_t count);
    static at::Tensor torchaoValues(const Part& part, const at::Tensor& result = {});
    /// \param values  flat
    void fillFlat(const Part& part, const at::Tensor& values) const;

    std::vector<std::int64_t> m_shape;
    model::FrozenWeights m_weights = model::FrozenWeights::Nf4;
    std::vector<Part> m_parts;
};

} // namespace batchpeak::network

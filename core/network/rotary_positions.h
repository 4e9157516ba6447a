// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// Rotates queries and keys by their positions (RoFormer, arXiv 2104.09864), the halves of a head paired
/// as GPT-NeoX, LLaMA and transformers pair them. It holds two tables and no parameters.
class RotaryPositions
{
public:
    /// \param dimensions  leading elements of a head that are rotated, an even number
    RotaryPositions(std::int64_t dimensions, std::int64_t length, double theta, at::ScalarType type,
                    at::Device device);

    /// \param heads  {samples, length, heads, head size}
    at::Tensor rotated(const at::Tensor& heads) const;

    /// Elements of each of the two tables.
    static std::int64_t tableElements(std::int64_t dimensions, std::int64_t length);

private:
    at::Tensor m_cosines;
    at::Tensor m_sines;
};

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run_kind.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// How an optimizer holds its state.
struct StateHolding
{
    model::Optimizer kind = model::Optimizer::AdamW;
    /// Dtype of moments that are not quantized.
    at::ScalarType type = at::kFloat;
    /// Whether the state is in the host's memory, which does not count toward any device's limit; otherwise
    /// it is on the device.
    bool onHost = false;

    /// Bits of an element of a quantized moment; 0 if moments are not quantized.
    int bits() const { return model::momentBits(kind); }
    /// Whether a step works on a copy, which it then writes back.
    bool isAway() const { return onHost || bits() > 0; }
};

/// Consecutive elements that an optimizer updates together.
struct MomentPiece
{
    std::int64_t elements = 0;
    /// Whether the moments of this piece are not quantized, even if those of other pieces are.
    bool isWide = false;
};

/// One moment of all parameters: unquantized on the device, or in a form that takes less of its memory:
/// numbers of 8 or 4 bits with a scale for each block, or numbers in the host's memory.
///
/// Blocks have 256 values of 8 bits as in bitsandbytes 0.49 and torchao 0.14, and 128 values of 4 bits as in
/// torchao; the number of bytes is theirs. The numbers that the bits stand for are our own: equal steps of a
/// signed moment, and equal steps of the root of a moment that is a mean of squares, rounded up so that
/// only zero becomes zero.
class OptimizerMoment
{
public:
    /// \param pieces  pieces that are updated one after another; each has blocks of its own
    /// \param isSquare  whether no value is below zero
    OptimizerMoment(const std::vector<MomentPiece>& pieces, bool isSquare, const StateHolding& holding,
                    at::Device device);

    /// Returns the values of a piece: its own memory, or a copy in the first elements of \p room, which is
    /// float32 on the device and has as many elements as roomElements() says. Neither this function nor put()
    /// allocates: a step that ran out of memory halfway would have changed some parameters and not the
    /// others. (Quantized moments in the host's memory of a GPU are the exception: they pass through memory
    /// of the GPU.)
    at::Tensor take(std::size_t piece, const at::Tensor& room) const;
    /// Writes the copy back. The contents of the room are undefined afterwards.
    void put(std::size_t piece, const at::Tensor& room);

    /// Returns the number of elements of a room: whole blocks for the largest of the pieces.
    static std::int64_t roomElements(std::int64_t largestPiece, const StateHolding& holding);

    /// Returns all tensors that it holds: the values of all pieces in one tensor; or, if quantized, their
    /// codes, then the scales, then the values of wide pieces if there are any.
    std::vector<at::Tensor> tensors() const;

    static std::vector<std::int64_t> tensorBytes(const std::vector<MomentPiece>& pieces,
                                                 const StateHolding& holding);

private:
    struct Piece
    {
        at::Tensor values;
        at::Tensor scales;
        std::int64_t elements = 0;
        int bits = 0;
    };

    bool isAway(const Piece& piece) const { return m_holding.onHost || piece.bits > 0; }
    void quantize(const Piece& piece, const at::Tensor& room) const;
    void dequantize(const Piece& piece, const at::Tensor& room) const;
    at::Tensor wholeBlocks(const Piece& piece, const at::Tensor& room) const;

    StateHolding m_holding;
    bool m_isSquare;
    at::Tensor m_values;
    at::Tensor m_scales;
    at::Tensor m_wideValues;
    std::vector<Piece> m_pieces;
};

} // namespace batchpeak::network

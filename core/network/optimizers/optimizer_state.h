// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run_kind.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// How an optimizer holds what it keeps of every parameter.
struct StateHolding
{
    model::Optimizer kind = model::Optimizer::AdamW;
    /// Of moments that have all their bits.
    at::ScalarType type = at::kFloat;
    /// In the host's memory, which counts to no device's limit; else on the device.
    bool onHost = false;

    /// Of an element of a moment; 0 where it has all bits of its type.
    int bits() const { return model::momentBits(kind); }
    /// A step works on a copy, which it brings back.
    bool isAway() const { return onHost || bits() > 0; }
};

/// Elements that an optimizer takes together.
struct MomentPiece
{
    std::int64_t elements = 0;
    /// Moments of it have all bits, whatever those of others have.
    bool isWide = false;
};

/// One moment of all parameters: full numbers on the device, or what takes less of it: numbers of 8 or 4 bits
/// with a scale for each block, or numbers in the host's memory.
///
/// Blocks have 256 values of 8 bits as those of bitsandbytes 0.49 and torchao 0.14, and 128 of 4 bits as
/// those of torchao; bytes are theirs. Which numbers the bits stand for is our own: equal steps of a signed
/// moment, and of the root of one that is a mean of squares, so that none but zero becomes zero.
class OptimizerMoment
{
public:
    /// \param pieces  those that are taken one after another, each a whole of blocks' own
    /// \param isSquare  no value is below zero
    OptimizerMoment(const std::vector<MomentPiece>& pieces, bool isSquare, const StateHolding& holding,
                    at::Device device);

    /// The values of a piece: its own memory, or a copy in the first elements of \p room, float32 on the
    /// device, of as many elements as roomElements() says. Neither this nor put() allocates: a step that ran
    /// out of memory half-way would have changed some parameters and not the others. (Narrow numbers in the
    /// host's memory of a GPU are the exception: they pass through memory of the GPU.)
    at::Tensor take(std::size_t piece, const at::Tensor& room) const;
    /// Brings the copy back, and leaves the room in no state to be read.
    void put(std::size_t piece, const at::Tensor& room);

    /// Whole blocks for the largest of the pieces.
    static std::int64_t roomElements(std::int64_t largestPiece, const StateHolding& holding);

    /// All that it holds: the values of all pieces in one; or their bits, the scales behind them, and the
    /// values of wide pieces where there are any.
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

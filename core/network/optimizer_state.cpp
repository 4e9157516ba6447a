// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimizer_state.h"

#include "constant_tensor.h"
#include "host_memory.h"
#include "value_blocks.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <limits>

namespace batchpeak::network {

namespace {

std::int64_t blockValues(int bits)
{
    return bits == 8 ? 256 : 128;
}

/// Bytes of so many values of a piece.
std::int64_t narrowBytes(std::int64_t elements, int bits)
{
    return bits == 8 ? elements : (elements + 1) / 2;
}

at::Tensor zerosFor(std::int64_t elements, at::ScalarType type, const StateHolding& holding,
                    at::Device device)
{
    if (holding.onHost)
        return hostZeros(elements, type, device);
    return at::zeros({elements}, at::TensorOptions(device).dtype(type));
}

/// Steps between zero and the largest value of a block.
at::Tensor stepsOf(int bits, bool isSquare)
{
    static constexpr std::array<float, 2> ofEight{127.0F, 255.0F};
    static constexpr std::array<float, 2> ofFour{7.0F, 15.0F};
    const std::size_t place = isSquare ? 1 : 0;
    return constantTensor(bits == 8 ? ofEight.at(place) : ofFour.at(place));
}

/// Values that 4 bits tell apart.
at::Tensor nibbleValues()
{
    static constexpr float values = 16.0F;
    return constantTensor(values);
}

/// The two values of each byte of 4 bits, in a row of their own.
at::Tensor inPairs(const at::Tensor& numbers, std::int64_t bytes)
{
    return numbers.narrow(0, 0, 2 * bytes).view({-1, 2});
}

} // namespace

OptimizerMoment::OptimizerMoment(const std::vector<std::int64_t>& pieces, bool isSquare,
                                 const StateHolding& holding, at::Device device)
    : m_holding(holding), m_isSquare(isSquare)
{
    const int bits = holding.bits();
    std::int64_t values = 0;
    std::int64_t scales = 0;
    for (const std::int64_t elements : pieces) {
        values += bits > 0 ? narrowBytes(elements, bits) : elements;
        scales += bits > 0 ? blocksOf(elements, blockValues(bits)) : 0;
    }
    m_values = zerosFor(values, bits > 0 ? at::kByte : holding.type, holding, device);
    if (bits > 0)
        m_scales = zerosFor(scales, at::kFloat, holding, device);

    std::int64_t value = 0;
    std::int64_t scale = 0;
    for (const std::int64_t elements : pieces) {
        const std::int64_t size = bits > 0 ? narrowBytes(elements, bits) : elements;
        Piece piece{.values = m_values.narrow(0, value, size), .elements = elements};
        value += size;
        if (bits > 0) {
            piece.scales = m_scales.narrow(0, scale, blocksOf(elements, blockValues(bits)));
            scale += blocksOf(elements, blockValues(bits));
        }
        m_pieces.push_back(std::move(piece));
    }
}

std::int64_t OptimizerMoment::roomElements(std::int64_t largestPiece, const StateHolding& holding)
{
    const int bits = holding.bits();
    return bits > 0 ? blocksOf(largestPiece, blockValues(bits)) * blockValues(bits) : largestPiece;
}

at::Tensor OptimizerMoment::take(std::size_t index, const at::Tensor& room) const
{
    const Piece& piece = m_pieces[index];
    if (!m_holding.isAway())
        return piece.values;
    const at::Tensor values = room.narrow(0, 0, piece.elements);
    if (m_holding.bits() > 0)
        dequantize(piece, room);
    else
        values.copy_(piece.values);
    return values;
}

void OptimizerMoment::put(std::size_t index, const at::Tensor& room)
{
    if (!m_holding.isAway())
        return;
    const Piece& piece = m_pieces[index];
    if (m_holding.bits() > 0)
        quantize(piece, room);
    else
        at::Tensor(piece.values).copy_(room.narrow(0, 0, piece.elements));
}

at::Tensor OptimizerMoment::wholeBlocks(const Piece& piece, const at::Tensor& room) const
{
    return room.narrow(0, 0, roomElements(piece.elements, m_holding));
}

void OptimizerMoment::quantize(const Piece& piece, const at::Tensor& room) const
{
    const int bits = m_holding.bits();
    const at::Tensor steps = stepsOf(bits, m_isSquare);
    const at::Tensor numbers = wholeBlocks(piece, room);
    numbers.narrow(0, piece.elements, numbers.numel() - piece.elements).zero_();
    if (m_isSquare)
        numbers.sqrt_();
    const at::Tensor blocks = numbers.view({-1, blockValues(bits)});
    constexpr double largest = std::numeric_limits<double>::infinity();
    at::Tensor scales = piece.scales;
    if (scales.device() == blocks.device())
        at::linalg_vector_norm_out(scales, blocks, largest, {1});
    else
        scales =
            at::Tensor(piece.scales).copy_(at::linalg_vector_norm(blocks, largest, {1})).to(blocks.device());
    blocks.div_(scales.unsqueeze(1)).nan_to_num_(0.0, 0.0, 0.0).mul_(steps);
    if (m_isSquare)
        numbers.ceil_();
    else
        numbers.round_().add_(steps);
    if (bits == 8) {
        at::Tensor(piece.values).copy_(numbers.narrow(0, 0, piece.elements));
        return;
    }
    const at::Tensor pairs = inPairs(numbers, piece.values.numel());
    at::Tensor(piece.values).copy_(pairs.select(1, 0).mul_(nibbleValues()).add_(pairs.select(1, 1)));
}

void OptimizerMoment::dequantize(const Piece& piece, const at::Tensor& room) const
{
    const int bits = m_holding.bits();
    const at::Tensor steps = stepsOf(bits, m_isSquare);
    const at::Tensor numbers = wholeBlocks(piece, room);
    if (bits == 8) {
        numbers.narrow(0, 0, piece.elements).copy_(piece.values);
    } else {
        const at::Tensor pairs = inPairs(numbers, piece.values.numel());
        pairs.select(1, 0).copy_(piece.values).div_(nibbleValues(), "floor");
        pairs.select(1, 1).copy_(piece.values).remainder_(nibbleValues());
    }
    if (!m_isSquare)
        numbers.sub_(steps);
    const at::Tensor blocks = numbers.div_(steps).view({-1, blockValues(bits)});
    blocks.mul_(piece.scales.to(blocks.device()).unsqueeze(1));
    if (m_isSquare)
        blocks.square_();
}

std::vector<at::Tensor> OptimizerMoment::tensors() const
{
    return m_scales.defined() ? std::vector{m_values, m_scales} : std::vector{m_values};
}

std::vector<std::int64_t> OptimizerMoment::tensorBytes(const std::vector<std::int64_t>& pieces,
                                                       const StateHolding& holding)
{
    if (holding.onHost)
        return {};
    const int bits = holding.bits();
    std::int64_t values = 0;
    std::int64_t scales = 0;
    for (const std::int64_t elements : pieces) {
        values += bits > 0 ? narrowBytes(elements, bits)
                           : elements * static_cast<std::int64_t>(c10::elementSize(holding.type));
        scales +=
            bits > 0 ? blocksOf(elements, blockValues(bits)) * static_cast<std::int64_t>(sizeof(float)) : 0;
    }
    return bits > 0 ? std::vector{values, scales} : std::vector{values};
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimizer_state.h"

#include "host_memory.h"
#include "kernels/value_blocks.h"
#include "networks/constant_tensor.h"

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

/// Returns the bytes of this number of quantized values.
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

/// Returns the number of steps between zero and the largest value of a block.
at::Tensor stepsOf(int bits, bool isSquare)
{
    static constexpr std::array<float, 2> ofEight{127.0F, 255.0F};
    static constexpr std::array<float, 2> ofFour{7.0F, 15.0F};
    const std::size_t place = isSquare ? 1 : 0;
    return constantTensor(bits == 8 ? ofEight.at(place) : ofFour.at(place));
}

/// Returns the number of values that 4 bits can distinguish.
at::Tensor nibbleValues()
{
    static constexpr float values = 16.0F;
    return constantTensor(values);
}

/// Element counts of the tensors of a moment: numbers of its dtype or bytes of quantized ones, their scales,
/// and numbers of wide pieces.
struct Elements
{
    std::int64_t values = 0;
    std::int64_t scales = 0;
    std::int64_t wide = 0;
};

Elements elementsOf(const std::vector<MomentPiece>& pieces, int bits)
{
    Elements sum;
    for (const auto& [elements, isWide] : pieces) {
        if (bits > 0 && isWide) {
            sum.wide += elements;
            continue;
        }
        sum.values += bits > 0 ? narrowBytes(elements, bits) : elements;
        sum.scales += bits > 0 ? blocksOf(elements, blockValues(bits)) : 0;
    }
    return sum;
}

/// Returns the two values of each byte of 4-bit numbers as a row.
at::Tensor inPairs(const at::Tensor& numbers, std::int64_t bytes)
{
    return numbers.narrow(0, 0, 2 * bytes).view({-1, 2});
}

} // namespace

OptimizerMoment::OptimizerMoment(const std::vector<MomentPiece>& pieces, bool isSquare,
                                 const StateHolding& holding, at::Device device)
    : m_holding(holding), m_isSquare(isSquare)
{
    const int bits = holding.bits();
    const Elements all = elementsOf(pieces, bits);
    m_values = zerosFor(all.values, bits > 0 ? at::kByte : holding.type, holding, device);
    if (bits > 0)
        m_scales = zerosFor(all.scales, at::kFloat, holding, device);
    if (all.wide > 0)
        m_wideValues = zerosFor(all.wide, at::kFloat, holding, device);

    Elements first;
    for (const MomentPiece& part : pieces) {
        const Elements own = elementsOf({part}, bits);
        Piece piece{.values = own.wide > 0 ? m_wideValues.narrow(0, first.wide, own.wide)
                                           : m_values.narrow(0, first.values, own.values),
                    .elements = part.elements,
                    .bits = own.wide > 0 ? 0 : bits};
        if (piece.bits > 0)
            piece.scales = m_scales.narrow(0, first.scales, own.scales);
        first.values += own.values;
        first.scales += own.scales;
        first.wide += own.wide;
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
    if (!isAway(piece))
        return piece.values;
    at::Tensor values = room.narrow(0, 0, piece.elements);
    if (piece.bits > 0)
        dequantize(piece, room);
    else
        values.copy_(piece.values);
    return values;
}

void OptimizerMoment::put(std::size_t index, const at::Tensor& room)
{
    const Piece& piece = m_pieces[index];
    if (!isAway(piece))
        return;
    if (piece.bits > 0)
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
    std::vector<at::Tensor> tensors{m_values};
    for (const at::Tensor& tensor : {m_scales, m_wideValues}) {
        if (tensor.defined())
            tensors.push_back(tensor);
    }
    return tensors;
}

std::vector<std::int64_t> OptimizerMoment::tensorBytes(const std::vector<MomentPiece>& pieces,
                                                       const StateHolding& holding)
{
    if (holding.onHost)
        return {};
    constexpr std::int64_t floatBytes = sizeof(float);
    const Elements all = elementsOf(pieces, holding.bits());
    if (holding.bits() > 0)
        return {all.values, all.scales * floatBytes, all.wide * floatBytes};
    return {all.values * static_cast<std::int64_t>(c10::elementSize(holding.type))};
}

} // namespace batchpeak::network

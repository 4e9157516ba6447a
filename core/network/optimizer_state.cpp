// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimizer_state.h"

#include "value_blocks.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <cstdlib>
#include <new>

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

/// On the host's own heap, past the allocator that counts a CPU device's memory; pinned for a GPU.
at::Tensor hostZeros(std::int64_t elements, at::ScalarType type, at::Device device)
{
    if (!device.is_cpu())
        return at::zeros({elements}, at::TensorOptions(at::kCPU).dtype(type).pinned_memory(true));
    const auto size = static_cast<std::size_t>(elements);
    void* memory = std::calloc(size > 0 ? size : 1, c10::elementSize(type));
    if (!memory)
        throw std::bad_alloc();
    return at::from_blob(
        memory, {elements}, [](void* block) { std::free(block); }, at::TensorOptions(at::kCPU).dtype(type));
}

at::Tensor zerosFor(std::int64_t elements, at::ScalarType type, const StateHolding& holding,
                    at::Device device)
{
    if (holding.onHost)
        return hostZeros(elements, type, device);
    return at::zeros({elements}, at::TensorOptions(device).dtype(type));
}

/// Steps between zero and the largest value of a block.
double stepsOf(int bits, bool isSquare)
{
    if (bits == 8)
        return isSquare ? 255.0 : 127.0;
    return isSquare ? 15.0 : 7.0;
}

at::Tensor packed(const at::Tensor& codes, int bits)
{
    if (bits == 8)
        return codes;
    const at::Tensor pairs = inBlocks(codes, blockValues(bits)).view({-1, 2});
    return pairs.select(1, 0).mul(16).add_(pairs.select(1, 1));
}

at::Tensor unpacked(const at::Tensor& bytes, std::int64_t elements, int bits)
{
    if (bits == 8)
        return bytes;
    return at::stack({bytes.div(16, "floor"), bytes.remainder(16)}, 1).flatten().narrow(0, 0, elements);
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

at::Tensor OptimizerMoment::take(std::size_t index, const at::Tensor& room) const
{
    const Piece& piece = m_pieces[index];
    if (!m_holding.isAway())
        return piece.values;
    const at::Tensor values = room.narrow(0, 0, piece.elements);
    return values.copy_(m_holding.bits() > 0 ? dequantized(piece) : piece.values);
}

void OptimizerMoment::put(std::size_t index, const at::Tensor& values)
{
    if (!m_holding.isAway())
        return;
    const Piece& piece = m_pieces[index];
    if (m_holding.bits() > 0)
        quantize(piece, values);
    else
        at::Tensor(piece.values).copy_(values);
}

void OptimizerMoment::quantize(const Piece& piece, const at::Tensor& values) const
{
    const int bits = m_holding.bits();
    const double steps = stepsOf(bits, m_isSquare);
    const at::Tensor blocks = inBlocks(m_isSquare ? values.sqrt() : values, blockValues(bits));
    const at::Tensor scales = blocks.abs().amax(1);
    at::Tensor codes = blocks.div(scales.unsqueeze(1)).nan_to_num_(0.0, 0.0, 0.0).mul_(steps);
    if (m_isSquare)
        codes.ceil_();
    else
        codes.round_().add_(steps);
    at::Tensor(piece.scales).copy_(scales);
    const at::Tensor whole = codes.to(at::kByte).flatten().narrow(0, 0, piece.elements);
    at::Tensor(piece.values).copy_(packed(whole, bits).narrow(0, 0, piece.values.numel()));
}

at::Tensor OptimizerMoment::dequantized(const Piece& piece) const
{
    const int bits = m_holding.bits();
    const double steps = stepsOf(bits, m_isSquare);
    at::Tensor numbers = unpacked(piece.values, piece.elements, bits).to(at::kFloat);
    if (!m_isSquare)
        numbers.sub_(steps);
    at::Tensor blocks = inBlocks(numbers.div_(steps), blockValues(bits)).mul(piece.scales.unsqueeze(1));
    return (m_isSquare ? blocks.square_() : blocks).flatten().narrow(0, 0, piece.elements);
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

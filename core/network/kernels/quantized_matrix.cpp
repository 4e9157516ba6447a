// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "quantized_matrix.h"

#include "torchao_nf4.h"
#include "value_blocks.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/bucketize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <utility>

namespace batchpeak::network {

namespace {

/// Quantiles of a normal distribution, between -1 and 1 (arXiv 2305.14314, appendix E).
constexpr std::array<float, 16> normalFloat{
    -1.0F,      -0.6961928F, -0.52507305F, -0.3949175F, -0.28444138F, -0.18477343F, -0.091050036F, 0.0F,
    0.0795803F, 0.1609302F,  0.2461123F,   0.33791524F, 0.44070983F,  0.562617F,    0.72295684F,   1.0F};
/// Number of values per scale, and of scales per scale of scales: quantize_4bit() and quantize_blockwise() of
/// bitsandbytes.
constexpr std::int64_t blockValues = 64;
constexpr std::int64_t blockScaleCount = 256;
constexpr double maxInteger = 127.0;
/// Number of values that are dequantized together if no kernel of our own does it, so that the temporaries
/// stay small: 32 MiB in fp32.
constexpr std::int64_t maxAtOnce = std::int64_t{1} << 23;

std::int64_t elementsOf(std::span<const std::int64_t> shape)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : shape)
        elements *= size;
    return elements;
}

/// Returns the 8-bit numbers for scales: 1, 2, 4 ... 64 equidistant numbers in each decade below 1, of both
/// signs, with 0 and 1 (create_dynamic_map() of bitsandbytes; arXiv 1511.04561).
std::vector<float> dynamicNumbers()
{
    std::vector<float> numbers{0.0F, 1.0F};
    constexpr int decades = 7;
    for (int i = 0; i < decades; ++i) {
        const int count = 1 << i;
        const double decade = std::pow(10.0, i - decades + 1);
        // Computed with torch's linspace(), because the last bits of the numbers depend on it.
        const at::Tensor boundaries = at::linspace(0.1, 1.0, count + 1, at::TensorOptions(at::kFloat));
        const auto* boundary = boundaries.const_data_ptr<float>();
        for (int place = 0; place < count; ++place) {
            const float mean = (boundary[place] + boundary[place + 1]) / 2.0F;
            numbers.push_back(static_cast<float>(decade * mean));
            numbers.push_back(static_cast<float>(-decade * mean));
        }
    }
    std::ranges::sort(numbers);
    return numbers;
}

at::Tensor tensorOf(std::span<const float> numbers, at::Device device)
{
    return at::tensor(at::ArrayRef<float>(numbers.data(), numbers.size())).to(device);
}

/// Returns the index of the number nearest to each value; of two that are equally near, the lower.
at::Tensor nearest(const at::Tensor& values, std::span<const float> numbers)
{
    std::vector<float> middles;
    for (std::size_t i = 1; i < numbers.size(); ++i)
        middles.push_back((numbers[i - 1] + numbers[i]) / 2.0F);
    return at::bucketize(values, tensorOf(middles, values.device()), /*out_int32=*/true).to(at::kByte);
}

/// Returns the values divided by the scales of their blocks, by multiplication with the reciprocal as in
/// bitsandbytes: a division would round one in half a million to another number. A block of zeros gives
/// zeros.
at::Tensor scaled(const at::Tensor& blocks, const at::Tensor& scales)
{
    return blocks.mul(scales.reciprocal().unsqueeze(1)).nan_to_num_(0.0);
}

const std::vector<float>& dynamicTable()
{
    static const std::vector<float> table = dynamicNumbers();
    return table;
}

/// Returns both values of each byte.
const std::array<float, 512>& pairTable()
{
    static const auto table = [] {
        std::array<float, 512> pairs{};
        for (std::size_t byte = 0; byte < pairs.size() / 2; ++byte) {
            pairs[2 * byte] = normalFloat[byte >> 4];
            pairs[2 * byte + 1] = normalFloat[byte & 15];
        }
        return pairs;
    }();
    return table;
}

/// Lookup tables of numbers on one device.
struct LookupTables
{
    /// {256}; each element is two fp32 values as one 64-bit integer, so that a lookup copies both at once.
    at::Tensor pairs;
    /// {256}
    at::Tensor dynamic;
};

/// Returns tables that are copied once per process: a copy for each product would wait for the device. On the
/// CPU they are the tables themselves. They are never freed, because a device may be gone before the last
/// static is destroyed.
const LookupTables& tablesOn(at::Device device)
{
    static std::mutex mutex;
    static auto& tables = *new std::map<std::pair<at::DeviceType, at::DeviceIndex>, LookupTables>;
    const std::scoped_lock lock(mutex);
    const std::pair key(device.type(), device.index());
    auto place = tables.find(key);
    if (place == tables.end()) {
        const auto wrapped = [device](std::span<const float> numbers, at::IntArrayRef shape) {
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): tensors of constants there are none
            return at::from_blob(const_cast<float*>(numbers.data()), shape, at::kFloat).to(device);
        };
        // Both are made before either is kept, because the device may have no memory for one of them.
        LookupTables made{.pairs = wrapped(pairTable(), {512}).view(at::kLong),
                          .dynamic = wrapped(dynamicTable(), {256})};
        place = tables.emplace(key, std::move(made)).first;
    }
    return place->second;
}

/// Fills one block of values, the last of which may be shorter.
template<typename Value>
void fillBlock(const std::uint8_t* bytes, float scale, Value* values, std::int64_t count)
{
    std::array<Value, normalFloat.size()> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<Value>(normalFloat[i] * scale);
    if (count == blockValues) {
        // Bytes may alias anything: eight are loaded at once, so that they are not loaded again after each
        // value. The first byte is the lowest, as on all processors that libtorch is built for.
        for (std::size_t i = 0; i < blockValues / 2; i += sizeof(std::uint64_t)) {
            std::uint64_t codes = 0;
            std::memcpy(&codes, bytes + i, sizeof(codes));
            for (std::size_t j = 0; j < sizeof(codes); ++j, codes >>= 8) {
                *values++ = numbers[(codes >> 4) & 15];
                *values++ = numbers[codes & 15];
            }
        }
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        values[i] = numbers[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
}

template<typename Value>
void fillOnHost(const at::Tensor& codes, const at::Tensor& scales, const at::Tensor& values)
{
    const auto* bytes = codes.const_data_ptr<std::uint8_t>();
    const auto* scale = scales.const_data_ptr<float>();
    auto* out = values.mutable_data_ptr<Value>();
    const std::int64_t count = values.numel();
    constexpr std::int64_t blocksAtOnce = 256;
    at::parallel_for(
        0, blocksOf(count, blockValues), blocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                const std::int64_t first = block * blockValues;
                fillBlock(bytes + first / 2, scale[block], out + first, std::min(blockValues, count - first));
            }
        });
}

/// Fills values by lookup, piece by piece, if there is no kernel of our own.
void fillByLookup(const at::Tensor& codes, const at::Tensor& scales, const at::Tensor& values)
{
    const at::Tensor& table = tablesOn(codes.device()).pairs;
    const std::int64_t count = values.numel();
    for (std::int64_t first = 0; first < count; first += maxAtOnce) {
        const std::int64_t size = std::min(maxAtOnce, count - first);
        const at::Tensor bytes = codes.narrow(0, first / 2, blocksOf(size, 2)).to(at::kInt);
        const at::Tensor pairs = table.index_select(0, bytes).view(at::kFloat);
        const at::Tensor ofBlocks =
            scales.narrow(0, first / blockValues, blocksOf(size, blockValues)).unsqueeze(1);
        const at::Tensor part = values.narrow(0, first, size);
        if (size % blockValues == 0) {
            // The kernel that multiplies also rounds to the dtype: a separate one would read everything
            // again.
            at::Tensor blocks = part.view({-1, blockValues});
            at::mul_out(blocks, pairs.view({-1, blockValues}), ofBlocks);
        } else {
            const at::Tensor blocks = inBlocks(pairs.narrow(0, 0, size), blockValues).mul(ofBlocks);
            part.copy_(blocks.flatten().narrow(0, 0, size));
        }
    }
}

void fill(const at::Tensor& codes, const at::Tensor& scales, const at::Tensor& values)
{
    if (!codes.is_cpu())
        return fillByLookup(codes, scales, values);
    if (values.scalar_type() == at::kBFloat16)
        return fillOnHost<at::BFloat16>(codes, scales, values);
    if (values.scalar_type() == at::kHalf)
        return fillOnHost<at::Half>(codes, scales, values);
    if (values.scalar_type() == at::kFloat)
        return fillOnHost<float>(codes, scales, values);
    fillByLookup(codes, scales, values);
}

/// Returns the step of an integer for each row, in fp32. Values of 16 bits that are multiplied with it are
/// widened for that, as in MatMul8bitFp and MatMul8bitLt (bitsandbytes/autograd/_functions.py of 0.50.2).
at::Tensor rowScales(const at::Tensor& largest)
{
    return largest.unsqueeze(1).mul(1.0 / maxInteger);
}

} // namespace

QuantizedMatrix::QuantizedMatrix(const at::Tensor& values, const std::vector<std::int64_t>& rows,
                                 model::FrozenWeights weights, bool doubleQuantization)
    : m_shape(values.sizes().vec()), m_weights(weights)
{
    const at::NoGradGuard noGradients;
    // Tables are made with the network and not in its first step, which must be able to free everything that
    // it has allocated.
    if (weights == model::FrozenWeights::Nf4)
        tablesOn(values.device());
    const at::Tensor matrix = values.flatten(0, -2);
    std::int64_t first = 0;
    for (const std::int64_t count : rows.empty() ? std::vector{matrix.size(0)} : rows) {
        m_parts.push_back(quantized(matrix.narrow(0, first, count), weights, doubleQuantization));
        first += count;
    }
}

QuantizedMatrix::Part QuantizedMatrix::quantized(const at::Tensor& values, model::FrozenWeights weights,
                                                 bool doubleQuantization)
{
    if (weights == model::FrozenWeights::Int8)
        return integers(values);
    return weights == model::FrozenWeights::TorchaoNf4 ? torchaoNarrowFloat(values)
                                                       : narrowFloat(values, doubleQuantization);
}

QuantizedMatrix::Part QuantizedMatrix::torchaoNarrowFloat(const at::Tensor& values)
{
    const TorchaoNf4 matrix = torchaoNf4(values.flatten());
    return {.elements = values.numel(),
            .codes = matrix.codes,
            .scales = matrix.scales,
            .scalesOfScales = matrix.factors,
            .meanScale = matrix.mean,
            .numbers = matrix.numbers};
}

QuantizedMatrix::Part QuantizedMatrix::narrowFloat(const at::Tensor& values, bool doubleQuantization)
{
    const at::Tensor flat = values.flatten();
    const std::int64_t elements = flat.numel();
    const auto bytes = values.options().dtype(at::kByte).requires_grad(false);
    Part part{.elements = elements,
              .codes = at::empty({blocksOf(elements, 2)}, bytes),
              .scales = at::empty({blocksOf(elements, blockValues)}, bytes.dtype(at::kFloat))};
    for (std::int64_t first = 0; first < elements; first += maxAtOnce) {
        const std::int64_t size = std::min(maxAtOnce, elements - first);
        const at::Tensor blocks = inBlocks(flat.narrow(0, first, size).to(at::kFloat), blockValues);
        const at::Tensor scales = part.scales.narrow(0, first / blockValues, blocks.size(0));
        scales.copy_(blocks.abs().amax(1));
        const at::Tensor codes = nearest(scaled(blocks, scales), normalFloat).view({-1, 2});
        const at::Tensor packed = codes.select(1, 0).mul(16).add_(codes.select(1, 1));
        const std::int64_t count = blocksOf(size, 2);
        part.codes.narrow(0, first / 2, count).copy_(packed.narrow(0, 0, count));
    }
    if (!doubleQuantization)
        return part;
    part.meanScale = part.scales.mean();
    const at::Tensor ofScales = inBlocks(part.scales.sub(part.meanScale), blockScaleCount);
    part.scalesOfScales = ofScales.abs().amax(1);
    part.scales = nearest(scaled(ofScales, part.scalesOfScales), dynamicTable())
                      .flatten()
                      .narrow(0, 0, part.scales.numel())
                      .contiguous();
    return part;
}

QuantizedMatrix::Part QuantizedMatrix::integers(const at::Tensor& values)
{
    // The values are rounded to fp16 first: Int8Params in bitsandbytes/nn/modules.py.
    const at::Tensor rows = values.to(at::kHalf).to(at::kFloat);
    const at::Tensor largest = rows.abs().amax(1);
    const at::Tensor factors = largest.reciprocal().mul_(maxInteger).unsqueeze(1);
    return {.elements = values.numel(),
            .codes = rows.mul(factors).nan_to_num_(0.0).round_().to(at::kChar),
            .scales = largest};
}

at::Tensor QuantizedMatrix::blockScales(const Part& part, std::int64_t first, std::int64_t count)
{
    if (!part.scalesOfScales.defined())
        return part.scales.narrow(0, first, count);
    // Takes whole blocks of scales around the requested ones.
    const std::int64_t firstBlock = first / blockScaleCount;
    const std::int64_t begin = firstBlock * blockScaleCount;
    const std::int64_t end =
        std::min(blocksOf(first + count, blockScaleCount) * blockScaleCount, part.scales.numel());
    const at::Tensor codes = part.scales.narrow(0, begin, end - begin);
    const at::Tensor numbers = tablesOn(codes.device()).dynamic.index_select(0, codes.to(at::kInt));
    return inBlocks(numbers, blockScaleCount)
        .mul(part.scalesOfScales.narrow(0, firstBlock, blocksOf(end - begin, blockScaleCount)).unsqueeze(1))
        .flatten()
        .narrow(0, first - begin, count)
        .add(part.meanScale);
}

at::Tensor QuantizedMatrix::torchaoValues(const Part& part, const at::Tensor& result)
{
    return expanded({.codes = part.codes,
                     .scales = part.scales,
                     .factors = part.scalesOfScales,
                     .mean = part.meanScale,
                     .numbers = part.numbers},
                    part.elements, result);
}

at::Tensor QuantizedMatrix::dequantizedPart(at::ScalarType type, std::size_t part) const
{
    const at::NoGradGuard noGradients;
    const Part& one = m_parts.at(part);
    const std::int64_t inputs = m_shape.back();
    if (m_weights == model::FrozenWeights::TorchaoNf4)
        return torchaoValues(one).to(type).view({-1, inputs});
    const at::Tensor values = at::empty({one.elements}, one.codes.options().dtype(type));
    fillFlat(one, values);
    return values.view({-1, inputs});
}

IntegerMatrix QuantizedMatrix::integersOf(std::size_t part) const
{
    const Part& one = m_parts.at(part);
    return {.codes = one.codes, .largest = one.scales};
}

void QuantizedMatrix::fillFlat(const Part& part, const at::Tensor& values) const
{
    if (m_weights == model::FrozenWeights::Int8)
        values.view_as(part.codes).copy_(part.codes).mul_(rowScales(part.scales));
    else if (m_weights == model::FrozenWeights::Nf4)
        fill(part.codes, blockScales(part, 0, part.scales.numel()), values);
    else if (values.scalar_type() == part.numbers.scalar_type())
        torchaoValues(part, values);
    else
        values.copy_(torchaoValues(part));
}

at::Tensor QuantizedMatrix::dequantized(at::ScalarType type) const
{
    const at::NoGradGuard noGradients;
    at::Tensor values = at::empty(m_shape, m_parts.front().codes.options().dtype(type));
    const at::Tensor flat = values.flatten();
    std::int64_t first = 0;
    for (const Part& part : m_parts) {
        fillFlat(part, flat.narrow(0, first, part.elements));
        first += part.elements;
    }
    return values;
}

at::Tensor QuantizedMatrix::dequantized(at::ScalarType type, std::int64_t index) const
{
    const at::NoGradGuard noGradients;
    const Part& part = m_parts.front();
    const std::vector<std::int64_t> shape(m_shape.begin() + 1, m_shape.end());
    const std::int64_t elements = elementsOf(shape);
    if (part.codes.scalar_type() == at::kChar) {
        const std::int64_t rows = elements / shape.back();
        const at::Tensor scales = rowScales(part.scales.narrow(0, index * rows, rows));
        return part.codes.narrow(0, index * rows, rows).to(type).mul_(scales).view(shape);
    }
    // torchao has no stacks.
    if (elements % blockValues != 0 || m_weights == model::FrozenWeights::TorchaoNf4)
        return dequantized(type).select(0, index);
    const std::int64_t blocks = elements / blockValues;
    const at::Tensor values = at::empty({elements}, part.codes.options().dtype(type));
    fill(part.codes.narrow(0, index * elements / 2, elements / 2), blockScales(part, index * blocks, blocks),
         values);
    return values.view(shape);
}

void QuantizedMatrix::borrowCodes(const QuantizedMatrix& lender)
{
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        m_parts[i].codes = lender.m_parts.at(i).codes;
}

std::int64_t QuantizedMatrix::codeBytes(const std::vector<std::int64_t>& shape,
                                        const std::vector<std::int64_t>& rows, model::FrozenWeights weights)
{
    const std::int64_t inputs = shape.back();
    std::int64_t bytes = 0;
    for (const std::int64_t count : rows.empty() ? std::vector{elementsOf(shape) / inputs} : rows)
        bytes += weights == model::FrozenWeights::Int8 ? count * inputs : blocksOf(count * inputs, 2);
    return bytes;
}

std::vector<std::int64_t> QuantizedMatrix::tensorBytes(const std::vector<std::int64_t>& shape,
                                                       const std::vector<std::int64_t>& rows,
                                                       model::FrozenWeights weights, bool doubleQuantization,
                                                       at::ScalarType valueType)
{
    constexpr std::int64_t floatBytes = sizeof(float);
    const std::int64_t inputs = shape.back();
    std::vector<std::int64_t> bytes;
    for (const std::int64_t count : rows.empty() ? std::vector{elementsOf(shape) / inputs} : rows) {
        const std::int64_t elements = count * inputs;
        const std::int64_t blocks = blocksOf(elements, blockValues);
        if (weights == model::FrozenWeights::Int8)
            bytes.insert(bytes.end(), {elements, count * floatBytes});
        else if (weights == model::FrozenWeights::TorchaoNf4)
            std::ranges::copy(
                torchaoNf4Bytes(elements, static_cast<std::int64_t>(c10::elementSize(valueType))),
                std::back_inserter(bytes));
        else if (!doubleQuantization)
            bytes.insert(bytes.end(), {blocksOf(elements, 2), blocks * floatBytes});
        else
            bytes.insert(bytes.end(), {blocksOf(elements, 2), blocks,
                                       blocksOf(blocks, blockScaleCount) * floatBytes, floatBytes});
    }
    return bytes;
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "torchao_nf4.h"

#include "value_blocks.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace batchpeak::network {

namespace {

// Defaults of to_nf4() in torchao/dtypes/nf4tensor.py, which torchtune's layers leave as they are
// (torchtune/modules/peft/lora.py and modules/low_precision/nf4_linear.py of 0.6).
constexpr std::int64_t nf4BlockValues = 64;
constexpr std::int64_t blockScales = 256;
/// Number of values whose codes are computed at once, because each is compared with all 16 numbers. torchao
/// takes 2^20 (CHUNK_SIZE), which gives the same codes and takes more memory.
constexpr std::int64_t maxNf4ValuesAtOnce = std::int64_t{1} << 18;

/// These numbers are rounded to four decimals, unlike those of bitsandbytes: NF4Tensor.from_tensor().
constexpr std::array<float, 16> torchaoNormalFloat{-1.0000F, -0.6962F, -0.5251F, -0.3949F, -0.2844F, -0.1848F,
                                                   -0.0911F, 0.0000F,  0.0796F,  0.1609F,  0.2461F,  0.3379F,
                                                   0.4407F,  0.5626F,  0.7230F,  1.0000F};

/// quantize_tensor_nearest(): of two numbers that are equally near, the lower.
at::Tensor nearest(const at::Tensor& values, const at::Tensor& numbers)
{
    const at::Tensor differences = values.unsqueeze(-1).sub(numbers).abs();
    return std::get<1>(differences.min(-1)).to(at::kByte);
}

/// convert_to_norm_float_weight().
at::Tensor codesOf(const at::Tensor& values, const at::Tensor& largest, const at::Tensor& numbers)
{
    const std::int64_t elements = values.numel();
    at::Tensor codes = at::empty({blocksOf(elements, 2)}, values.options().dtype(at::kByte));
    for (std::int64_t first = 0; first < elements; first += maxNf4ValuesAtOnce) {
        const at::Tensor blocks =
            inBlocks(values.narrow(0, first, std::min(maxNf4ValuesAtOnce, elements - first)), nf4BlockValues);
        const at::Tensor ofBlocks = largest.narrow(0, first / nf4BlockValues, blocks.size(0)).unsqueeze(-1);
        const at::Tensor pairs = nearest(blocks.div(ofBlocks).flatten(), numbers).view({-1, 2});
        const at::Tensor packed = pairs.select(1, 0).mul(16).add_(pairs.select(1, 1));
        const std::int64_t count = std::min(packed.numel(), codes.numel() - first / 2);
        codes.narrow(0, first / 2, count).copy_(packed.narrow(0, 0, count));
    }
    return codes;
}

/// dequantize_scalers().
at::Tensor scalesOf(const TorchaoNf4& matrix)
{
    const std::int64_t count = matrix.scales.numel();
    const at::Tensor quotients =
        inBlocks(matrix.scales, blockScales).div(matrix.factors.unsqueeze(-1)).flatten();
    return quotients.narrow(0, 0, count).to(matrix.numbers.scalar_type()).add(matrix.mean);
}

at::Tensor lookedUp(const at::Tensor& codes, const at::Tensor& numbers)
{
    return numbers.index({std::optional(codes)});
}

} // namespace

TorchaoNf4 torchaoNf4(const at::Tensor& values)
{
    const at::NoGradGuard noGradients;
    const auto options = values.options().requires_grad(false);
    TorchaoNf4 matrix{
        .numbers = at::tensor(at::ArrayRef<float>(torchaoNormalFloat.data(), torchaoNormalFloat.size()))
                       .to(options)};
    const at::Tensor largest = inBlocks(values, nf4BlockValues).abs().amax(1);
    matrix.codes = codesOf(values, largest, matrix.numbers);
    // double_quantize_scalers(); Python divides a number by a tensor through the tensor's reciprocal.
    matrix.mean = largest.mean();
    const at::Tensor scales = inBlocks(largest.sub(matrix.mean), blockScales);
    matrix.factors = scales.abs().amax(1).mul(2).reciprocal().mul(256);
    // If all scales are the same, the factor is infinite. Whatever the quantized scales are then, they
    // dequantize to 0.
    const at::Tensor rounded = scales.mul(matrix.factors.unsqueeze(-1)).round().clamp(-128, 127);
    matrix.scales = rounded.nan_to_num(0.0).to(at::kChar).flatten().narrow(0, 0, largest.numel()).clone();
    return matrix;
}

at::Tensor expanded(const TorchaoNf4& matrix, std::int64_t elements, const at::Tensor& result)
{
    const at::NoGradGuard noGradients;
    // Tensors stay alive to the end like the locals of the Python function: they make up its peak.
    const at::Tensor first = matrix.codes.bitwise_right_shift(4).to(at::kLong);
    const at::Tensor second = matrix.codes.bitwise_and(15).to(at::kLong);
    const at::Tensor firstNumbers = lookedUp(first, matrix.numbers);
    const at::Tensor secondNumbers = lookedUp(second, matrix.numbers);
    const at::Tensor scales = scalesOf(matrix);
    const at::Tensor repeated = scales.unsqueeze(-1).expand({scales.size(0), nf4BlockValues / 2});
    const std::int64_t pairs = first.numel();
    const at::Tensor scaledFirst =
        firstNumbers.mul(repeated.flatten().narrow(0, 0, pairs)).unsqueeze(-1).transpose(0, 1);
    const at::Tensor scaledSecond =
        secondNumbers.mul(repeated.flatten().narrow(0, 0, pairs)).unsqueeze(-1).transpose(0, 1);
    if (result.defined() && elements == 2 * pairs) {
        at::Tensor inPlace = result.view({1, pairs, 2});
        at::stack_out(inPlace, {scaledFirst, scaledSecond}, -1);
        return result;
    }
    const at::Tensor values = at::stack({scaledFirst, scaledSecond}, -1).flatten().narrow(0, 0, elements);
    return result.defined() ? result.copy_(values) : values;
}

std::vector<std::int64_t> torchaoNf4Bytes(std::int64_t elements, std::int64_t elementBytes)
{
    const std::int64_t blocks = blocksOf(elements, nf4BlockValues);
    return {blocksOf(elements, 2), blocks, blocksOf(blocks, blockScales) * elementBytes, elementBytes,
            static_cast<std::int64_t>(torchaoNormalFloat.size()) * elementBytes};
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "integer_product.h"

#include <ATen/ops/_int_mm.h>
#include <ATen/ops/argwhere.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>

namespace batchpeak::network {

namespace {

/// llm_int8_threshold of BitsAndBytesConfig in transformers 5, which no trainer that is read here changes.
constexpr double outlierThreshold = 6.0;
constexpr double mostInteger = 127.0;
/// What a row of zeros is scaled by, so that its integers are zeros too.
constexpr double leastScale = 1e-30;
// Constants of backends/default/ops.py and _ops.py in bitsandbytes 0.50.2: 1 / 127^2 and 1 / 127.
constexpr double productScale = 6.200124e-05;
constexpr double columnScale = 7.874015718698502e-3;

struct QuantizedRows
{
    at::Tensor codes;
    at::Tensor largest;
    /// Of columns with outliers; undefined where there are none.
    at::Tensor columns;
};

/// int8_vectorwise_quant.
QuantizedRows quantizedRows(const at::Tensor& rows)
{
    const at::Tensor narrow = rows.to(at::kHalf);
    at::Tensor sizes = narrow.abs();
    const at::Tensor outliers = sizes.ge(outlierThreshold);
    QuantizedRows quantized;
    // The host waits for the device here, as it does in bitsandbytes.
    if (outliers.any().item<bool>()) {
        quantized.columns = at::argwhere(outliers.any(0)).view(-1);
        sizes.masked_fill_(outliers, 0.0);
    }
    quantized.largest = sizes.amax(1).to(at::kFloat);
    const at::Tensor factors = quantized.largest.clamp_min(leastScale).reciprocal().mul(mostInteger);
    at::Tensor scaled = narrow.mul(factors.unsqueeze(-1));
    if (quantized.columns.defined())
        scaled.index_fill_(1, quantized.columns, 0.0);
    quantized.codes = scaled.round_().to(at::kChar);
    return quantized;
}

/// int8_mm_dequant: in fp16 on a GPU, in fp32 on the CPU.
at::Tensor scaledBack(const at::Tensor& integers, const at::Tensor& ofRows, const at::Tensor& ofColumns)
{
    const at::ScalarType type = integers.is_cpu() ? at::kFloat : at::kHalf;
    at::Tensor result = at::empty(integers.sizes(), integers.options().dtype(type));
    at::mul_out(result, integers, ofRows.mul(productScale).unsqueeze(-1));
    return result.mul_(ofColumns.to(type).unsqueeze(0));
}

} // namespace

bool multipliesIntegers(const at::Tensor& rows, const at::Tensor& codes)
{
    constexpr std::int64_t fewRows = 16;
    constexpr std::int64_t unit = 8;
    if (rows.size(0) == 0)
        return false;
    return rows.is_cpu() ||
           (rows.size(0) > fewRows && codes.size(0) % unit == 0 && codes.size(1) % unit == 0);
}

IntegerProduct integerProduct(const at::Tensor& rows, const IntegerMatrix& matrix, const at::Tensor& bias)
{
    const QuantizedRows quantized = quantizedRows(rows);
    const at::Tensor integers = at::_int_mm(quantized.codes, matrix.codes.t());
    at::Tensor result = scaledBack(integers, quantized.largest, matrix.largest);
    if (bias.defined())
        result.add_(bias);
    result = result.to(rows.scalar_type());
    if (!quantized.columns.defined())
        return {.result = result};
    // int8_mixed_scaled_mm.
    const at::Tensor outliers = rows.index_select(1, quantized.columns);
    const at::Tensor columns = matrix.codes.index_select(1, quantized.columns)
                                   .mul(matrix.largest.view({-1, 1}))
                                   .mul(columnScale)
                                   .to(rows.scalar_type());
    return {.result = result.addmm(outliers, columns.t()), .outliers = outliers};
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "integer_product.h"

#include "execution_state.h"

#include <ATen/ops/_int_mm.h>
#include <ATen/ops/argwhere.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mul.h>

#include <algorithm>
#include <optional>

namespace batchpeak::network {

namespace {

/// llm_int8_threshold of BitsAndBytesConfig in transformers 5, which none of the training frameworks that we
/// have read changes.
constexpr double outlierThreshold = 6.0;
constexpr double maxInt8 = 127.0;
/// Scale of a row of zeros, so that its integers are zeros too.
constexpr double minScale = 1e-30;
// Constants of backends/default/ops.py and _ops.py in bitsandbytes 0.50.2: 1 / 127^2 and 1 / 127.
constexpr double productScale = 6.200124e-05;
constexpr double columnScale = 7.874015718698502e-3;

/// Number of values that are scaled together, 32 MiB in fp32: bitsandbytes' kernel allocates none for them.
constexpr std::int64_t maxProductsAtOnce = std::int64_t{1} << 23;

struct QuantizedRows
{
    at::Tensor codes;
    at::Tensor largest;
    /// Indices of columns with outliers; undefined if there are none.
    at::Tensor columns;
};

void findLargest(const at::Tensor& rows, QuantizedRows& quantized)
{
    at::Tensor sizes = rows.abs();
    const at::Tensor outliers = sizes.ge(outlierThreshold);
    // The host waits for the device here, as it does in bitsandbytes.
    if (outliers.any().item<bool>()) {
        quantized.columns = at::argwhere(outliers.any(0)).view(-1);
        sizes.masked_fill_(outliers, 0.0);
    }
    quantized.largest = sizes.amax(1).to(at::kFloat);
}

/// int8_vectorwise_quant.
QuantizedRows quantizedRows(const at::Tensor& rows)
{
    const at::Tensor narrow = rows.to(at::kHalf);
    QuantizedRows quantized;
    findLargest(narrow, quantized);
    quantized.codes = at::empty(rows.sizes(), rows.options().dtype(at::kChar).requires_grad(false));
    const at::Tensor factors = quantized.largest.clamp_min(minScale).reciprocal().mul(maxInt8).unsqueeze(-1);
    const std::int64_t atOnce = std::max<std::int64_t>(maxProductsAtOnce / rows.size(1), 1);
    for (std::int64_t first = 0; first < rows.size(0); first += atOnce) {
        const std::int64_t count = std::min(atOnce, rows.size(0) - first);
        at::Tensor scaled = narrow.narrow(0, first, count).mul(factors.narrow(0, first, count));
        if (quantized.columns.defined())
            scaled.index_fill_(1, quantized.columns, 0.0);
        quantized.codes.narrow(0, first, count).copy_(scaled.round_());
    }
    return quantized;
}

/// Returns whether libtorch loses the part of the sum of two products that does not fit into 16 bits, as it
/// does if oneDNN has no AVX512-VNNI instructions ("Nuances of int8 computations" in its developer guide). On
/// processors without them libtorch uses its own loops (_int_mm_out_cpu of
/// aten/src/ATen/native/LinearAlgebra.cpp in 2.11), but ONEDNN_MAX_CPU_ISA disables them in oneDNN without
/// libtorch's knowledge.
bool losesSums()
{
    static const bool loses = [] {
        constexpr std::int64_t size = 16;
        constexpr std::int64_t max = 127;
        const at::Tensor codes = at::full({size, size}, max, at::kChar);
        return at::_int_mm(codes, codes.t()).ne(size * max * max).any().item<bool>();
    }();
    return loses;
}

at::Tensor productOfCodes(const at::Tensor& rows, const at::Tensor& matrix)
{
    std::optional<WithoutOneDnn> withLoops;
    if (rows.is_cpu() && losesSums())
        withLoops.emplace();
    return at::_int_mm(rows, matrix.t());
}

/// int8_mm_dequant: in fp16 on a GPU, in fp32 on the CPU.
at::Tensor scaledBack(const at::Tensor& integers, const at::Tensor& ofRows, const at::Tensor& ofColumns)
{
    const at::ScalarType type = integers.is_cpu() ? at::kFloat : at::kHalf;
    at::Tensor result = at::empty(integers.sizes(), integers.options().dtype(type));
    at::mul_out(result, integers, ofRows.mul(productScale).unsqueeze(-1));
    return result.mul_(ofColumns.to(type).unsqueeze(0));
}

/// int8_scaled_mm, in the dtype of scaledBack().
at::Tensor scaledProduct(const QuantizedRows& rows, const IntegerMatrix& matrix, const at::Tensor& bias)
{
    const at::Tensor integers = productOfCodes(rows.codes, matrix.codes);
    at::Tensor result = scaledBack(integers, rows.largest, matrix.largest);
    return bias.defined() ? result.add_(bias) : result;
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
    const at::Tensor result = scaledProduct(quantized, matrix, bias).to(rows.scalar_type());
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

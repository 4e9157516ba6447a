// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "quantized_linear.h"

#include "quantized_matrix.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace batchpeak::network {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::int64_t outputsOf(const QuantizedMatrix& matrix)
{
    const at::IntArrayRef sizes = matrix.sizes();
    return std::accumulate(sizes.begin(), sizes.end() - 1, std::int64_t{1}, std::multiplies<>());
}

/// The product with a matrix that is identified by its address, which is all that the backward pass needs.
struct QuantizedLinear : torch::autograd::Function<QuantizedLinear>
{
    static constexpr const char* matrixKey = "matrix";
    static constexpr const char* indexKey = "index";
    static constexpr std::int64_t whole = -1;

    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, std::int64_t matrix,
                              std::int64_t index, const std::optional<at::Tensor>& bias, bool trains)
    {
        context->saved_data[matrixKey] = matrix;
        context->saved_data[indexKey] = index;
        const auto device = input.device().type();
        const at::ScalarType type = at::autocast::is_autocast_enabled(device)
                                        ? at::autocast::get_autocast_dtype(device)
                                        : input.scalar_type();
        const at::Tensor taken = input.to(type);
        const at::Tensor frozenBias = bias ? bias->to(type) : at::Tensor();
        if (index != whole)
            return at::linear(taken, matrixAt(matrix).dequantized(type, index), frozenBias);
        const QuantizedMatrix& weights = matrixAt(matrix);
        // Tensors kept for the backward pass, beside the address of the matrix.
        variable_list kept;
        if (weights.weights() == model::FrozenWeights::Int8)
            kept.push_back(taken);
        at::Tensor result = productsOfParts(taken, weights, frozenBias, trains, kept);
        context->save_for_backward(std::move(kept));
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const at::Tensor& gradient = gradients.front();
        const QuantizedMatrix& weights = matrixAt(context->saved_data.at(matrixKey).toInt());
        const std::int64_t index = context->saved_data.at(indexKey).toInt();
        const at::ScalarType type = gradient.scalar_type();
        at::Tensor ofInput = index != whole ? at::matmul(gradient, weights.dequantized(type, index))
                                            : gradientThroughParts(gradient, weights);
        return {ofInput, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }

private:
    /// Multiplies by one part after the other. The values of a part live no longer than its product, which is
    /// written to its place in the result.
    static at::Tensor productsOfParts(const at::Tensor& input, const QuantizedMatrix& matrix,
                                      const at::Tensor& bias, bool trains, variable_list& kept)
    {
        const at::Tensor rows = input.flatten(0, -2);
        const bool multiplies = matrix.weights() == model::FrozenWeights::Int8 && !(trains && input.is_cpu());
        std::vector<std::int64_t> shape = input.sizes().vec();
        shape.back() = outputsOf(matrix);
        if (matrix.partCount() == 1)
            return productOfPart(rows, matrix, 0, bias, multiplies, kept).view(shape);
        const at::Tensor result =
            at::empty({rows.size(0), shape.back()}, input.options().requires_grad(false));
        std::int64_t first = 0;
        for (std::size_t part = 0; part < matrix.partCount(); ++part) {
            const std::int64_t count = matrix.rowsOf(part);
            const at::Tensor ofPart = bias.defined() ? bias.narrow(0, first, count) : at::Tensor();
            at::Tensor place = result.narrow(1, first, count);
            if (takesIntegers(rows, matrix, part, multiplies)) {
                place.copy_(productOfPart(rows, matrix, part, ofPart, multiplies, kept));
            } else {
                const at::Tensor weight = matrix.dequantizedPart(input.scalar_type(), part);
                if (ofPart.defined() && !addsBiasBehind(matrix))
                    at::addmm_out(place, ofPart, rows, weight.t());
                else
                    at::mm_out(place, rows, weight.t());
            }
            first += count;
        }
        const at::Tensor whole = result.view(shape);
        return bias.defined() && addsBiasBehind(matrix) ? whole.add(bias) : whole;
    }

    static at::Tensor productOfPart(const at::Tensor& rows, const QuantizedMatrix& matrix, std::size_t part,
                                    const at::Tensor& bias, bool multiplies, variable_list& kept)
    {
        if (takesIntegers(rows, matrix, part, multiplies)) {
            IntegerProduct product = integerProduct(rows, matrix.integersOf(part), bias);
            if (product.outliers.defined())
                kept.push_back(std::move(product.outliers));
            return product.result;
        }
        const at::Tensor weight = matrix.dequantizedPart(rows.scalar_type(), part);
        if (!addsBiasBehind(matrix))
            return at::linear(rows, weight, bias);
        const at::Tensor result = at::linear(rows, weight);
        return bias.defined() ? result.add(bias) : result;
    }

    static bool takesIntegers(const at::Tensor& rows, const QuantizedMatrix& matrix, std::size_t part,
                              bool multiplies)
    {
        return multiplies && multipliesIntegers(rows, matrix.integersOf(part).codes);
    }

    /// LoRALinear of torchtune 0.6 adds the bias after the product (torchtune/modules/peft/lora.py).
    static bool addsBiasBehind(const QuantizedMatrix& matrix)
    {
        return matrix.weights() == model::FrozenWeights::TorchaoNf4;
    }

    static at::Tensor gradientThroughParts(const at::Tensor& gradient, const QuantizedMatrix& matrix)
    {
        const at::ScalarType type = gradient.scalar_type();
        if (matrix.partCount() == 1)
            return at::matmul(gradient, matrix.dequantizedPart(type, 0));
        const at::Tensor rows = gradient.flatten(0, -2);
        at::Tensor sum;
        std::int64_t first = 0;
        for (std::size_t part = 0; part < matrix.partCount(); ++part) {
            const at::Tensor weight = matrix.dequantizedPart(type, part);
            const at::Tensor ofPart = rows.narrow(1, first, weight.size(0));
            sum = sum.defined() ? sum.addmm_(ofPart, weight) : at::mm(ofPart, weight);
            first += weight.size(0);
        }
        std::vector<std::int64_t> shape = gradient.sizes().vec();
        shape.back() = sum.size(1);
        return sum.view(shape);
    }

    static const QuantizedMatrix& matrixAt(std::int64_t address)
    {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): what autograd keeps for backward are values
        return *reinterpret_cast<const QuantizedMatrix*>(address);
    }
};

std::int64_t addressOf(const QuantizedMatrix& matrix)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as above
    return reinterpret_cast<std::int64_t>(&matrix);
}

} // namespace

at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& matrix, const at::Tensor& bias, bool trains)
{
    // A trained bias gets its gradient from an operation of its own.
    const bool learns = bias.defined() && bias.requires_grad();
    const auto frozen = bias.defined() && !learns ? std::optional(bias) : std::nullopt;
    at::Tensor result =
        QuantizedLinear::apply(input, addressOf(matrix), QuantizedLinear::whole, frozen, trains);
    return learns ? result.add(bias) : result;
}

at::Tensor linear(const at::Tensor& input, const QuantizedMatrix& stack, std::int64_t index)
{
    return QuantizedLinear::apply(input, addressOf(stack), index, std::optional<at::Tensor>(),
                                  /*trains=*/true);
}

} // namespace batchpeak::network

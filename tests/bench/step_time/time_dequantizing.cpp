// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/kernels/quantized_linear.h"
#include "network/kernels/quantized_matrix.h"
#include "network/libtorch.h"

#include <ATen/ops/randn.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace batchpeak;

namespace {

constexpr const char* usage =
    "Usage: batchpeak-time-dequantizing DEVICE nf4|torchao-nf4|int8 fp32|bf16 OUTPUTS INPUTS ROWS "
    "WARM_UP_CALLS "
    "CALLS\n"
    "Prints the seconds of each call that brings a quantized matrix back to wide numbers, of NF4 with double "
    "quantization; with ROWS above 0, of each product with so many rows, forward and backward.\n";

std::int64_t countFrom(std::string_view text, std::int64_t min = 1)
{
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < min) {
        throw std::invalid_argument("\"" + std::string(text) + "\" is no number from " + std::to_string(min) +
                                    " upward.");
    }
    return count;
}

model::FrozenWeights weightsFrom(std::string_view text)
{
    const auto weights = model::fromText<model::FrozenWeights>(text);
    if (!weights || !model::isQuantized(*weights))
        throw std::invalid_argument("\"" + std::string(text) + "\" is no kind of quantized weights.");
    return *weights;
}

at::ScalarType typeFrom(std::string_view text)
{
    if (text == "fp32")
        return at::kFloat;
    if (text == "bf16")
        return at::kBFloat16;
    throw std::invalid_argument("\"" + std::string(text) + "\" is neither fp32 nor bf16.");
}

void waitFor(at::Device device)
{
    if (!device.is_cpu())
        c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

/// Multiplies as in training with an adapter below, which needs the gradient of its inputs.
void multiply(const at::Tensor& input, const at::Tensor& gradient, const network::QuantizedMatrix& matrix)
{
    input.mutable_grad().reset();
    network::linear(input, matrix, {}, /*trains=*/true).backward(gradient);
}

void timeCalls(std::span<char*> arguments)
{
    const at::Device device{std::string(arguments[1])};
    const model::FrozenWeights weights = weightsFrom(arguments[2]);
    const at::ScalarType type = typeFrom(arguments[3]);
    const at::Tensor values =
        at::randn({countFrom(arguments[4]), countFrom(arguments[5])}, at::TensorOptions(device).dtype(type));
    const network::QuantizedMatrix matrix(values, {}, weights, true);
    const std::int64_t rows = countFrom(arguments[6], 0);
    const at::Tensor input = at::randn({rows, values.size(1)}, values.options()).requires_grad_();
    const at::Tensor gradient = at::randn({rows, values.size(0)}, values.options());
    const std::int64_t warmUps = countFrom(arguments[7]);
    const std::int64_t calls = warmUps + countFrom(arguments[8]);
    for (std::int64_t call = 0; call < calls; ++call) {
        waitFor(values.device());
        const auto begin = std::chrono::steady_clock::now();
        if (rows > 0)
            multiply(input, gradient, matrix);
        else
            matrix.dequantizedPart(type, 0);
        waitFor(values.device());
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        if (call >= warmUps)
            std::printf("%.9f\n", seconds.count());
    }
}

} // namespace

int main(int argc, char** argv)
{
    network::loadAcceleratorLibrary();
    const std::span<char*> arguments(argv, argc);
    if (arguments.size() != 9) {
        std::fputs(usage, stderr);
        return 1;
    }
    try {
        timeCalls(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "batchpeak-time-dequantizing: %s\n", error.what());
        return 1;
    }
    return 0;
}

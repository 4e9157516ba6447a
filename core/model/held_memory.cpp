// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "held_memory.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::model {

namespace {

constexpr double floatBytes = 4.0;
constexpr double halfBytes = 2.0;

/// Elements of the parameters in one role as core/network holds them: each starts at a multiple of 256 bytes.
double heldElements(const std::vector<Parameter>& table, ParameterRole role, double width)
{
    constexpr std::int64_t alignment = 256;
    const std::int64_t step = alignment / static_cast<std::int64_t>(width);
    std::int64_t count = 0;
    for (const Parameter& parameter : table) {
        if (parameter.role == role)
            count += (parameter.elements() + step - 1) / step * step;
    }
    return static_cast<double>(count);
}

/// Both devices' allocators round each tensor up to so much.
double allocated(double bytes)
{
    constexpr double unit = 512.0;
    return std::ceil(bytes / unit) * unit;
}

/// Codes and scales of core/network/quantized_matrix.cpp, of a matrix of so many rows.
double quantizedBytes(double rows, double inputs, const Tuning& tuning)
{
    const double elements = rows * inputs;
    if (tuning.frozenWeights == FrozenWeights::Int8)
        return allocated(elements) + allocated(rows * floatBytes);
    const double blocks = std::ceil(elements / 64.0);
    const double codes = allocated(std::ceil(elements / 2.0));
    if (!tuning.doubleQuantization)
        return codes + allocated(blocks * floatBytes);
    return codes + allocated(blocks) + allocated(std::ceil(blocks / 256.0) * floatBytes) +
           allocated(floatBytes);
}

double quantizedBytes(const Parameter& matrix, const Tuning& tuning)
{
    const auto inputs = static_cast<double>(matrix.shape.back());
    std::vector<std::int64_t> rows = separateRows(matrix);
    if (rows.empty())
        rows.push_back(matrix.elements() / matrix.shape.back());
    double bytes = 0.0;
    for (const std::int64_t count : rows)
        bytes += quantizedBytes(static_cast<double>(count), inputs, tuning);
    return bytes;
}

/// Of an element of one moment: full, or codes and the share of a block's scale
/// (core/network/optimizer_state.cpp).
double momentBytes(Optimizer optimizer, double full)
{
    if (optimizer == Optimizer::AdamW8bit)
        return 1.0 + floatBytes / 256.0;
    return optimizer == Optimizer::AdamW4bit ? 0.5 + floatBytes / 128.0 : full;
}

/// Elements that an optimizer works on at a time where it cannot on all, as core/network/optimizer_step.cpp
/// has it.
constexpr double mostAtOnce = 1 << 24;
constexpr double mostBroughtAtOnce = 1 << 22;

double optimizerBytes(double elements, const ElementBytes& widths, Precision precision, Optimizer optimizer,
                      const StepOptions& options)
{
    const double shared = options.sharding == Sharding::None
                              ? elements
                              : std::ceil(elements / static_cast<double>(options.shards));
    const bool hasMasters = widths.trained < floatBytes && precision != Precision::PlainBf16;
    const double full = hasMasters ? floatBytes : widths.trained;
    const double moment = momentBytes(optimizer, full);
    const double copies = optimizerStateCopies(optimizer);
    const bool isAway = options.optimizerOnHost || moment < full;
    double bytes = options.optimizerOnHost ? 0.0 : shared * copies * moment;
    const double room = std::min(shared, isAway ? mostBroughtAtOnce : mostAtOnce) * floatBytes;
    if (isAway)
        bytes += copies * room;
    if (hasMasters)
        bytes += shared * floatBytes + room;
    else if (isAway && widths.trained < floatBytes)
        bytes += 2.0 * room;
    return bytes;
}

} // namespace

ElementBytes elementBytes(Precision precision, const Tuning& tuning)
{
    const double product =
        precision == Precision::Fp32 || precision == Precision::Tf32 ? floatBytes : halfBytes;
    const double trained = isBf16Throughout(precision) ? halfBytes : floatBytes;
    double frozen = trained;
    switch (tuning.frozenWeights) {
    case FrozenWeights::Same:
        break;
    case FrozenWeights::Fp32:
        frozen = floatBytes;
        break;
    case FrozenWeights::Bf16:
        frozen = halfBytes;
        break;
    case FrozenWeights::Nf4:
    case FrozenWeights::Int8:
        frozen = product;
        break;
    }
    return {.trained = trained, .frozen = frozen, .product = product};
}

HeldMemory heldMemory(const std::vector<Parameter>& table, const Tuning& tuning, Phase phase,
                      Precision precision, Optimizer optimizer, const StepOptions& options)
{
    const ElementBytes widths = elementBytes(precision, tuning);
    const double trained = heldElements(table, ParameterRole::Trained, widths.trained);
    HeldMemory held{.parameterBytes =
                        trained * widths.trained +
                        heldElements(table, ParameterRole::Frozen, widths.frozen) * widths.frozen};
    for (const Parameter& parameter : table) {
        if (parameter.role == ParameterRole::Quantized)
            held.parameterBytes += quantizedBytes(parameter, tuning);
    }
    if (phase == Phase::Eval)
        return held;
    held.gradientBytes = trained * widths.trained;
    held.optimizerBytes = optimizerBytes(trained, widths, precision, optimizer, options);
    return held;
}

} // namespace batchpeak::model

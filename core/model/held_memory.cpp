// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "held_memory.h"

#include "parameter_shares.h"

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

/// What core/network/quantized_matrix.cpp holds of a matrix.
struct QuantizedBytes
{
    double codes = 0.0;
    double scales = 0.0;
};

/// \param width  of the values that it is made of
QuantizedBytes quantizedBytes(double rows, double inputs, const Tuning& tuning, double width)
{
    const double elements = rows * inputs;
    if (tuning.frozenWeights == FrozenWeights::Int8)
        return {.codes = allocated(elements), .scales = allocated(rows * floatBytes)};
    const double blocks = std::ceil(elements / 64.0);
    const double codes = allocated(std::ceil(elements / 2.0));
    if (tuning.frozenWeights == FrozenWeights::TorchaoNf4) {
        return {.codes = codes,
                .scales = allocated(blocks) + allocated(std::ceil(blocks / 256.0) * width) +
                          allocated(width) + allocated(16.0 * width)};
    }
    if (!tuning.doubleQuantization)
        return {.codes = codes, .scales = allocated(blocks * floatBytes)};
    return {.codes = codes,
            .scales = allocated(blocks) + allocated(std::ceil(blocks / 256.0) * floatBytes) +
                      allocated(floatBytes)};
}

QuantizedBytes quantizedBytes(const Parameter& matrix, const Tuning& tuning, double width)
{
    const auto inputs = static_cast<double>(matrix.shape.back());
    std::vector<std::int64_t> rows = separateRows(matrix);
    if (rows.empty())
        rows.push_back(matrix.elements() / matrix.shape.back());
    QuantizedBytes bytes;
    for (const std::int64_t count : rows) {
        const QuantizedBytes part = quantizedBytes(static_cast<double>(count), inputs, tuning, width);
        bytes.codes += part.codes;
        bytes.scales += part.scales;
    }
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

double optimizerBytes(double shared, const ElementBytes& widths, Precision precision, Optimizer optimizer,
                      const StepOptions& options)
{
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

/// Where every device holds all parameters.
HeldMemory wholeMemory(const std::vector<Parameter>& table, const Tuning& tuning, const ElementBytes& widths)
{
    const double trained = heldElements(table, ParameterRole::Trained, widths.trained) * widths.trained;
    HeldMemory held{.parameterBytes =
                        trained + heldElements(table, ParameterRole::Frozen, widths.frozen) * widths.frozen,
                    .gradientBytes = trained};
    for (const Parameter& parameter : table) {
        if (parameter.role != ParameterRole::Quantized)
            continue;
        const QuantizedBytes bytes = quantizedBytes(parameter, tuning, widths.frozen);
        held.parameterBytes += bytes.codes + bytes.scales;
    }
    return held;
}

/// Where each holds a share of them, and what is gathered beside it. Scales of quantised matrices are not
/// shared (core/network/sharded_parameters.h).
HeldMemory sharedMemory(const std::vector<Parameter>& table, const ParameterShares& shares,
                        std::int64_t devices, const Tuning& tuning, const ElementBytes& widths,
                        const ElementBytes& gathered)
{
    const auto bytes = [](std::int64_t elements, double width) {
        return static_cast<double>(elements) * width;
    };
    HeldMemory held{.parameterBytes = bytes(shares.trainedShare(), widths.trained) +
                                      bytes(shares.frozenShare, widths.frozen) +
                                      bytes(shares.gathered, gathered.trained) +
                                      bytes(shares.frozenGathered, gathered.frozen),
                    .gradientBytes = bytes(shares.trainedShare(), widths.trained),
                    .fullGradientBytes = bytes(shares.fullGradients(), gathered.trained)};
    for (std::size_t i = 0; i < shares.units.size(); ++i) {
        const ParameterUnit& unit = shares.units[i];
        for (const std::size_t row : unit.quantized) {
            const QuantizedBytes matrix = quantizedBytes(table[row], tuning, widths.frozen);
            held.parameterBytes += matrix.scales + (unit.lender == i ? matrix.codes : 0.0) +
                                   bytes(shareOf(static_cast<std::int64_t>(matrix.codes), devices), 1.0);
        }
    }
    return held;
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
    case FrozenWeights::TorchaoNf4:
    case FrozenWeights::Int8:
        frozen = product;
        break;
    }
    return {.trained = trained, .frozen = frozen, .product = product};
}

ElementBytes gatheredBytes(Precision precision, const Tuning& tuning, Phase phase, const StepOptions& options)
{
    ElementBytes bytes = elementBytes(precision, tuning);
    if (precision == Precision::Bf16 && gathersParameters(sharingIn(phase, options))) {
        bytes.trained = std::min(bytes.trained, bytes.product);
        bytes.frozen = std::min(bytes.frozen, bytes.product);
    }
    return bytes;
}

HeldMemory heldMemory(const std::vector<Parameter>& table, const Tuning& tuning, Phase phase,
                      Precision precision, Optimizer optimizer, const StepOptions& options)
{
    const ElementBytes widths = elementBytes(precision, tuning);
    const Sharding sharing = sharingIn(phase, options);
    HeldMemory held;
    double stepped = 0.0;
    if (gathersParameters(sharing)) {
        const ParameterShares shares = parameterShares(table, sharing, options.shards);
        held = sharedMemory(table, shares, options.shards, tuning, widths,
                            gatheredBytes(precision, tuning, phase, options));
        stepped = static_cast<double>(shares.trainedShare());
    } else {
        held = wholeMemory(table, tuning, widths);
        stepped = heldElements(table, ParameterRole::Trained, widths.trained);
        if (sharing == Sharding::Optimizer)
            stepped = std::ceil(stepped / static_cast<double>(options.shards));
    }
    if (phase == Phase::Eval)
        held.gradientBytes = held.fullGradientBytes = 0.0;
    else
        held.optimizerBytes = optimizerBytes(stepped, widths, precision, optimizer, options);
    return held;
}

} // namespace batchpeak::model

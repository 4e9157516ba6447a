// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "held_memory.h"

#include "parameter_shares.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace batchpeak::model {

namespace {

/// Returns the number of elements of all parameters in one role, padded as core/network holds them.
/// \param width  bytes of an element
double heldElements(const std::vector<Parameter>& table, ParameterRole role, double width)
{
    const std::int64_t step = parameterAlignmentBytes / static_cast<std::int64_t>(width);
    std::int64_t count = 0;
    for (const Parameter& parameter : table) {
        if (parameter.role == role)
            count += (parameter.elements() + step - 1) / step * step;
    }
    return static_cast<double>(count);
}

/// Returns the number of elements of the trained embeddings.
double embeddingElements(const std::vector<Parameter>& table, double width)
{
    std::vector<Parameter> embeddings;
    std::ranges::copy_if(table, std::back_inserter(embeddings), &Parameter::isEmbedding);
    return heldElements(embeddings, ParameterRole::Trained, width);
}

/// Returns the number of elements of the largest trained parameter.
double largestElements(const std::vector<Parameter>& table)
{
    std::int64_t largest = 0;
    for (const Parameter& parameter : table) {
        if (parameter.isTrained())
            largest = std::max(largest, parameter.elements());
    }
    return static_cast<double>(largest);
}

/// Returns the size of a tensor's allocation [bytes]: the allocators of both devices, CPU and GPU, round it
/// up.
double allocated(double bytes)
{
    constexpr double unit = 512.0;
    return std::ceil(bytes / unit) * unit;
}

/// Bytes that core/network/kernels/quantized_matrix.cpp holds for a matrix.
struct QuantizedBytes
{
    double codes = 0.0;
    double scales = 0.0;
};

/// \param width  bytes of an element of the original matrix
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

/// Returns the bytes per element of one moment: \p full, or those of its code and its share of the block's
/// scale (core/network/optimizers/optimizer_state.cpp).
double momentBytes(Optimizer optimizer, double full)
{
    const int bits = momentBits(optimizer);
    if (bits == 8)
        return 1.0 + floatBytes / 256.0;
    return bits == 4 ? 0.5 + floatBytes / 128.0 : full;
}

/// Number of elements that an optimizer processes at a time if it cannot process all at once, as in
/// core/network/optimizers/optimizer_step.cpp.
constexpr double maxAtOnce = 1 << 24;
constexpr double maxBroughtAtOnce = 1 << 22;

/// \param shared  number of elements whose state this device holds
/// \param wide  number of those whose moments are fp32 with any optimizer
/// \param together  largest number of elements that step at a time
double optimizerBytes(double shared, double wide, double together, const ElementBytes& widths,
                      Precision precision, Optimizer optimizer, const StepOptions& options)
{
    const bool hasMasters = widths.trained < floatBytes && !isPlain(precision);
    const bool isWide = keepsWideMoments(optimizer);
    const double full = hasMasters || isWide ? floatBytes : widths.trained;
    const double moment = momentBytes(optimizer, full);
    const double copies = optimizerStateCopies(optimizer, options.keepsMomentum);
    const bool isAway = options.optimizerOnHost || moment < full;
    double bytes = options.optimizerOnHost ? 0.0 : copies * ((shared - wide) * moment + wide * floatBytes);
    const bool isBrought = isAway || isWide || isLion(optimizer);
    const double room = std::min(together, isBrought ? maxBroughtAtOnce : maxAtOnce) * floatBytes;
    if (isAway)
        bytes += copies * room;
    if (hasMasters)
        bytes += shared * floatBytes + room;
    else if ((isAway || isWide) && widths.trained < floatBytes)
        bytes += 2.0 * room;
    if (isLion(optimizer))
        bytes += room;
    return bytes;
}

/// Bytes that core/network/optimizers/adafactor.cpp takes: those kept between steps, and the room that the
/// largest parameter needs in a step for the squares of its gradients and its update, and for fp32 copies of
/// its values and gradients if these have fewer bits.
struct AdafactorBytes
{
    double kept = 0.0;
    double room = 0.0;
};

AdafactorBytes adafactorOfEach(const std::vector<Parameter>& table, double width)
{
    double kept = 0.0;
    double largest = 0.0;
    for (const Parameter& parameter : table) {
        if (!parameter.isTrained())
            continue;
        for (const std::vector<std::int64_t>& shape : separateShapes(parameter)) {
            double elements = 1.0;
            for (const std::int64_t size : shape)
                elements *= static_cast<double>(size);
            largest = std::max(largest, elements);
            kept += shape.size() < 2 ? elements
                                     : elements / static_cast<double>(shape.back()) +
                                           elements / static_cast<double>(shape[shape.size() - 2]);
        }
    }
    const double copies = width < floatBytes ? 4.0 : 2.0;
    return {.kept = kept * floatBytes, .room = copies * largest * floatBytes};
}

/// Returns the bytes if this device steps on all its elements as one vector.
AdafactorBytes adafactorOfAll(double stepped, double width, bool hasMasters)
{
    const double widened = width < floatBytes ? (hasMasters ? 1.0 : 2.0) : 0.0;
    return {.kept = stepped * floatBytes, .room = (2.0 + widened) * stepped * floatBytes};
}

void addAdafactor(HeldMemory& held, const std::vector<Parameter>& table, double stepped,
                  const ElementBytes& widths, Precision precision, const StepOptions& options,
                  Sharding sharing)
{
    const bool hasMasters = widths.trained < floatBytes && !isPlain(precision);
    const AdafactorBytes bytes = hasMasters || sharing != Sharding::None
                                     ? adafactorOfAll(stepped, widths.trained, hasMasters)
                                     : adafactorOfEach(table, widths.trained);
    held.optimizerBytes =
        (options.optimizerOnHost ? 0.0 : bytes.kept) + (hasMasters ? stepped * floatBytes : 0.0);
    // Bytes that sums may take in addition to the room.
    constexpr double spare = 1 << 20;
    held.optimizerRoomBytes = bytes.room + spare + (options.optimizerOnHost ? bytes.kept : 0.0);
}

/// Returns the share of trained elements in the larger of the two groups that trainers step on one after the
/// other: those with weight decay, and those without.
double shareOfLargerGroup(const std::vector<Parameter>& table)
{
    double decaying = 0.0;
    double all = 0.0;
    for (const Parameter& parameter : table) {
        if (!parameter.isTrained())
            continue;
        const auto elements = static_cast<double>(parameter.elements());
        all += elements;
        decaying += parameter.decays ? elements : 0.0;
    }
    return all > 0 ? std::max(decaying, all - decaying) / all : 0.0;
}

/// Returns the memory if every device holds all parameters.
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

/// Returns the memory if each device holds a share of the parameters, and the gathered ones beside it. Scales
/// of quantized matrices are not sharded (core/network/optimizers/sharded_parameters.h).
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
    const double trained = isNarrowThroughout(precision) ? halfBytes : floatBytes;
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
    // Without autocast only adapters cast: they take their inputs in their own dtype, and return the dtype of
    // the other layers.
    return {.trained = trained,
            .frozen = frozen,
            .product = isMixed(precision) || trainsAll(tuning) ? product : frozen};
}

ElementBytes gatheredBytes(Precision precision, const Tuning& tuning, Phase phase, const StepOptions& options)
{
    ElementBytes bytes = elementBytes(precision, tuning);
    if (isMixed(precision) && gathersParameters(sharingIn(phase, options))) {
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
    std::optional<double> together;
    if (gathersParameters(sharing)) {
        const ParameterShares shares = parameterShares(table, sharing, options.shards);
        held = sharedMemory(table, shares, options.shards, tuning, widths,
                            gatheredBytes(precision, tuning, phase, options));
        stepped = static_cast<double>(shares.trainedShare());
    } else {
        held = wholeMemory(table, tuning, widths);
        stepped = heldElements(table, ParameterRole::Trained, widths.trained);
        if (sharing == Sharding::Optimizer)
            stepped = static_cast<double>(shareOf(static_cast<std::int64_t>(stepped), options.shards));
        if (updatesInBackward(phase, options)) {
            together = largestElements(table);
            held.gradientBytes = 0.0;
            held.fullGradientBytes = *together * widths.trained;
        }
    }
    if (phase == Phase::Eval)
        held.gradientBytes = held.fullGradientBytes = 0.0;
    else if (optimizer == Optimizer::Adafactor)
        addAdafactor(held, table, stepped, widths, precision, options, sharing);
    else {
        const double wide =
            widensEmbeddingMoments(optimizer, options) ? embeddingElements(table, widths.trained) : 0.0;
        held.optimizerBytes = optimizerBytes(stepped, wide, together.value_or(std::max(wide, stepped - wide)),
                                             widths, precision, optimizer, options);
    }
    // Roots of the second moments: on a GPU, those of a whole group at once
    // (core/network/optimizers/unfused_step.h). If parameters step one by one, a root and its quotient.
    if (phase == Phase::Train && stepsByOperations(optimizer, precision, options)) {
        held.optimizerRoomBytes = widths.trained * (options.adamWStep == AdamWStep::Decoupled
                                                        ? 2.0 * std::min(largestElements(table), stepped)
                                                        : shareOfLargerGroup(table) * stepped);
    }
    return held;
}

} // namespace batchpeak::model

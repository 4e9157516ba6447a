// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "adafactor.h"

#include "host_memory.h"
#include "networks/constant_tensor.h"

#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace batchpeak::network {

namespace {

// Adafactor.__init__ in optimization.py of transformers 5.23: eps[0], decay_rate and clip_threshold.
constexpr float squareStabilizer = 1e-30F;
constexpr double decayRate = -0.8;
constexpr float clipThreshold = 1.0F;

using Shape = Adafactor::Shape;

std::int64_t elementsOf(const Shape& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool isFactored(const Shape& shape)
{
    return shape.size() > 1;
}

/// Returns the shape of the row means: one for each row of each matrix of the last two dimensions.
Shape rowsOf(Shape shape)
{
    shape.pop_back();
    return shape;
}

Shape columnsOf(Shape shape)
{
    shape.erase(shape.end() - 2);
    return shape;
}

/// Returns the shape of one mean for each of those matrices.
Shape matricesOf(const Shape& shape)
{
    Shape matrices = rowsOf(shape);
    matrices.back() = 1;
    return matrices;
}

/// Element counts of the state of all parameters, or of the largest state of one.
struct Kept
{
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t squares = 0;
};

Kept keptOf(const Shape& shape)
{
    if (isFactored(shape))
        return {.rows = elementsOf(rowsOf(shape)), .columns = elementsOf(columnsOf(shape))};
    return {.squares = elementsOf(shape)};
}

Kept keptOf(const std::vector<Shape>& shapes)
{
    Kept all;
    for (const Shape& shape : shapes) {
        const Kept kept = keptOf(shape);
        all.rows += kept.rows;
        all.columns += kept.columns;
        all.squares += kept.squares;
    }
    return all;
}

/// Returns the first elements of a room, in that shape.
at::Tensor in(const at::Tensor& room, const Shape& shape)
{
    return room.narrow(0, 0, elementsOf(shape)).view(shape);
}

/// Copies state that is on the host to the room for a step.
at::Tensor brought(const at::Tensor& kept, const at::Tensor& room)
{
    return room.defined() ? in(room, kept.sizes().vec()).copy_(kept) : kept;
}

void bringBack(const at::Tensor& kept, const at::Tensor& values)
{
    if (!kept.is_same(values))
        at::Tensor(kept).copy_(values);
}

} // namespace

std::vector<std::int64_t> Adafactor::stateBytes(const std::vector<Shape>& shapes, bool stateOnHost)
{
    if (stateOnHost)
        return {};
    constexpr std::int64_t floatBytes = sizeof(float);
    const Kept kept = keptOf(shapes);
    return {kept.rows * floatBytes, kept.columns * floatBytes, kept.squares * floatBytes};
}

Adafactor::Adafactor(std::vector<Target> targets, double learningRate, bool stateOnHost)
    : m_learningRate(static_cast<float>(learningRate)), m_stateOnHost(stateOnHost)
{
    for (Target& target : targets)
        m_entries.push_back({.target = std::move(target)});
    makeState(stateOnHost);
}

void Adafactor::makeState(bool stateOnHost)
{
    std::vector<Shape> shapes;
    for (const Entry& entry : m_entries)
        shapes.push_back(entry.target.values.sizes().vec());
    const Kept all = keptOf(shapes);
    const at::Device device = m_entries.front().target.values.device();
    const auto make = [&](std::int64_t elements) {
        return stateOnHost ? hostZeros(elements, at::kFloat, device)
                           : at::zeros({elements}, at::TensorOptions(device).dtype(at::kFloat));
    };
    m_rows = make(all.rows);
    m_columns = make(all.columns);
    m_squares = make(all.squares);
    Kept place;
    const auto take = [](const at::Tensor& all, std::int64_t& offset, const Shape& shape) {
        const std::int64_t elements = elementsOf(shape);
        offset += elements;
        return all.narrow(0, offset - elements, elements).view(shape);
    };
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        Entry& entry = m_entries[i];
        const Shape& shape = shapes[i];
        entry.perRoot = 1.0F / std::sqrt(static_cast<float>(elementsOf(shape)));
        if (!isFactored(shape)) {
            entry.squares = take(m_squares, place.squares, shape);
            continue;
        }
        entry.rows = take(m_rows, place.rows, rowsOf(shape));
        entry.columns = take(m_columns, place.columns, columnsOf(shape));
        entry.perRow = 1.0F / static_cast<float>(shape.back());
        entry.perColumn = 1.0F / static_cast<float>(shape[shape.size() - 2]);
    }
}

Adafactor::Room Adafactor::makeRoom() const
{
    std::int64_t elements = 0;
    std::int64_t wideValues = 0;
    std::int64_t wideGradients = 0;
    std::int64_t matrices = 0;
    Kept max;
    for (const Entry& entry : m_entries) {
        const Shape shape = entry.target.values.sizes().vec();
        const std::int64_t ofParameter = elementsOf(shape);
        elements = std::max(elements, ofParameter);
        if (entry.target.values.scalar_type() != at::kFloat) {
            wideGradients = std::max(wideGradients, ofParameter);
            wideValues = std::max(wideValues, entry.target.masters.defined() ? 0 : ofParameter);
        }
        const Kept kept = keptOf(shape);
        max.rows = std::max(max.rows, kept.rows);
        max.columns = std::max(max.columns, kept.columns);
        max.squares = std::max(max.squares, kept.squares);
        if (isFactored(shape))
            matrices = std::max(matrices, elementsOf(matricesOf(shape)));
    }
    const auto options = at::TensorOptions(m_entries.front().target.values.device()).dtype(at::kFloat);
    const auto make = [&options](std::int64_t size) { return at::empty({size}, options); };
    // On devices that sum in parallel, a sum over many elements takes temporary memory, which PyTorch
    // requests from the same allocator: less than this, which is 1 MiB. Its block is free again by then.
    constexpr std::int64_t spareElements = 1 << 18;
    Room room{.update = make(elements),
              .other = make(elements),
              .wideValues = make(wideValues),
              .wideGradients = make(wideGradients),
              .rows = make(max.rows),
              .columns = make(max.columns),
              .means = make(matrices),
              .root = at::empty({}, options),
              .weight = at::empty({}, options),
              .spare = make(spareElements)};
    if (m_stateOnHost) {
        room.squares = make(max.squares);
        room.keptRows = make(max.rows);
        room.keptColumns = make(max.columns);
    }
    return room;
}

void Adafactor::run(const at::Tensor& stepCount)
{
    Room room = makeRoom();
    room.weight.copy_(stepCount).add_(constantTensor(1.0F)).pow_(decayRate);
    room.spare.reset();
    stepCount.add_(constantTensor(1.0F));
    for (const Entry& entry : m_entries)
        step(entry, room);
}

void Adafactor::step(const Entry& entry, const Room& room) const
{
    const Target& target = entry.target;
    const Shape shape = target.values.sizes().vec();
    const bool isNarrow = target.values.scalar_type() != at::kFloat;
    const at::Tensor gradients =
        isNarrow ? in(room.wideGradients, shape).copy_(target.gradients) : target.gradients;
    at::Tensor values = target.values;
    if (isNarrow)
        values = target.masters.defined() ? target.masters : in(room.wideValues, shape).copy_(target.values);
    at::Tensor update = in(room.update, shape);
    at::Tensor other = in(room.other, shape);
    at::Tensor root = room.root;

    // The result is unused without scale_parameter, but transformers computes it.
    at::linalg_vector_norm_out(root, values, 2).mul_(constantTensor(entry.perRoot));
    at::mul_out(update, gradients, gradients);
    at::add_out(other, update, constantTensor(squareStabilizer));
    if (isFactored(shape)) {
        factor(entry, other, update, room);
    } else {
        at::Tensor squares = brought(entry.squares, room.squares);
        squares.lerp_(other, room.weight);
        at::rsqrt_out(update, squares);
        bringBack(entry.squares, squares);
    }
    update.mul_(gradients);
    at::linalg_vector_norm_out(root, update, 2).mul_(constantTensor(entry.perRoot));
    update.div_(root.div_(constantTensor(clipThreshold)).clamp_min_(1.0));
    update.mul_(constantTensor(m_learningRate));
    at::neg_out(other, update);
    values.add_(other);
    if (isNarrow)
        at::Tensor(target.values).copy_(values);
}

void Adafactor::factor(const Entry& entry, const at::Tensor& squares, at::Tensor update,
                       const Room& room) const
{
    const Shape shape = update.sizes().vec();
    at::Tensor rows = brought(entry.rows, room.keptRows);
    at::Tensor columns = brought(entry.columns, room.keptColumns);
    at::Tensor rowFactors = in(room.rows, rowsOf(shape));
    at::Tensor columnFactors = in(room.columns, columnsOf(shape));
    at::Tensor means = in(room.means, matricesOf(shape));

    at::sum_out(rowFactors, squares, {-1}).mul_(constantTensor(entry.perRow));
    rows.lerp_(rowFactors, room.weight);
    at::sum_out(columnFactors, squares, {-2}).mul_(constantTensor(entry.perColumn));
    columns.lerp_(columnFactors, room.weight);

    at::sum_out(means, rows, {-1}, /*keepdim=*/true).mul_(constantTensor(entry.perColumn));
    at::div_out(rowFactors, rows, means).rsqrt_();
    at::rsqrt_out(columnFactors, columns);
    at::mul_out(update, rowFactors.unsqueeze(-1), columnFactors.unsqueeze(-2));
    bringBack(entry.rows, rows);
    bringBack(entry.columns, columns);
}

std::vector<NamedTensor> Adafactor::state() const
{
    std::vector<NamedTensor> state;
    for (const auto& [name, tensor] :
         {std::pair("exp_avg_sq_row", m_rows), std::pair("exp_avg_sq_col", m_columns),
          std::pair("exp_avg_sq", m_squares)}) {
        if (tensor.numel() > 0)
            state.push_back({.name = name, .tensor = tensor});
    }
    return state;
}

} // namespace batchpeak::network

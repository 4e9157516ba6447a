// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unfused_step.h"

#include "networks/constant_tensor.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/sqrt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace batchpeak::network {

namespace {

/// Returns the first elements of a room, with the layout of another tensor.
at::Tensor in(const at::Tensor& room, const at::Tensor& like)
{
    return room.as_strided(like.sizes(), like.strides());
}

} // namespace

UnfusedStep::UnfusedStep(std::vector<Group> groups, const Rates& rates, Way way)
    : m_groups(std::move(groups)), m_rates(rates), m_way(way)
{}

void UnfusedStep::run(const at::Tensor& stepCount) const
{
    std::vector<at::Tensor> rooms;
    at::Tensor counts;
    if (m_way == Way::Together)
        admitRoots();
    else
        rooms = makeRooms();
    const auto before = static_cast<double>(*stepCount.const_data_ptr<float>());
    if (m_way == Way::Decoupled)
        counts = at::full({parameters()}, before, rooms.front().options().dtype(at::kFloat));
    stepCount.add_(constantTensor(1.0F));
    switch (m_way) {
    case Way::Together:
        for (const Group& group : m_groups)
            stepTogether(group, correctionsOf(before + 1.0));
        break;
    case Way::OneByOne:
        stepOneByOne(before + 1.0, rooms);
        break;
    case Way::Decoupled:
        stepDecoupled(counts, rooms);
        break;
    }
}

UnfusedStep::Corrections UnfusedStep::correctionsOf(double step) const
{
    return {.stepSize = m_rates.learningRate / (1.0 - std::pow(m_rates.firstMomentDecay, step)),
            .rootOfSecond = std::sqrt(1.0 - std::pow(m_rates.secondMomentDecay, step))};
}

void UnfusedStep::admitRoots() const
{
    for (const Group& group : m_groups) {
        std::vector<at::Tensor> roots;
        roots.reserve(group.secondMoments.size());
        for (const at::Tensor& moment : group.secondMoments)
            roots.push_back(at::empty_like(moment));
    }
}

void UnfusedStep::stepTogether(const Group& group, const Corrections& corrections) const
{
    const std::size_t count = group.values.size();
    if (group.decays)
        at::_foreach_mul_(group.values, 1.0 - m_rates.learningRate * m_rates.weightDecay);
    at::_foreach_lerp_(group.firstMoments, group.gradients, 1.0 - m_rates.firstMomentDecay);
    at::_foreach_mul_(group.secondMoments, m_rates.secondMomentDecay);
    at::_foreach_addcmul_(group.secondMoments, group.gradients, group.gradients,
                          1.0 - m_rates.secondMomentDecay);
    const std::vector<at::Tensor> roots = at::_foreach_sqrt(group.secondMoments);
    at::_foreach_div_(roots, std::vector<at::Scalar>(count, corrections.rootOfSecond));
    at::_foreach_add_(roots, m_rates.stabilizer);
    at::_foreach_addcdiv_(group.values, group.firstMoments, roots,
                          std::vector<at::Scalar>(count, -corrections.stepSize));
}

// Makes buffers for the root of a moment and for its quotient.
std::vector<at::Tensor> UnfusedStep::makeRooms() const
{
    std::int64_t largest = 0;
    for (const Group& group : m_groups) {
        for (const at::Tensor& moment : group.secondMoments)
            largest = std::max(largest, moment.numel());
    }
    const auto options = m_groups.front().secondMoments.front().options();
    return {at::empty({largest}, options), at::empty({largest}, options)};
}

std::int64_t UnfusedStep::parameters() const
{
    std::size_t count = 0;
    for (const Group& group : m_groups)
        count += group.values.size();
    return static_cast<std::int64_t>(count);
}

void UnfusedStep::stepOneByOne(double step, const std::vector<at::Tensor>& rooms) const
{
    const Corrections corrections = correctionsOf(step);
    for (const Group& group : m_groups) {
        for (std::size_t i = 0; i < group.values.size(); ++i)
            change(group, i, corrections, rooms);
    }
}

// In Composer each parameter has a count of its own on the device, and reading it waits for the device.
void UnfusedStep::stepDecoupled(const at::Tensor& counts, const std::vector<at::Tensor>& rooms) const
{
    std::int64_t first = 0;
    for (const Group& group : m_groups) {
        const auto size = static_cast<std::int64_t>(group.values.size());
        for (std::int64_t i = 0; i < size; ++i)
            counts.select(0, first + i).add_(constantTensor(1.0F));
        for (std::int64_t i = 0; i < size; ++i) {
            const auto step = static_cast<double>(counts.select(0, first + i).item<float>());
            change(group, static_cast<std::size_t>(i), correctionsOf(step), rooms);
        }
        first += size;
    }
}

void UnfusedStep::change(const Group& group, std::size_t index, const Corrections& corrections,
                         const std::vector<at::Tensor>& rooms) const
{
    const at::Tensor& value = group.values[index];
    const at::Tensor& gradient = group.gradients[index];
    const at::Tensor& first = group.firstMoments[index];
    const at::Tensor& second = group.secondMoments[index];
    at::Tensor root = in(rooms.front(), second);
    at::Tensor divided = in(rooms.back(), second);
    if (group.decays)
        value.mul_(constantTensor(static_cast<float>(1.0 - m_rates.learningRate * m_rates.weightDecay)));
    const double newPart = 1.0 - m_rates.firstMomentDecay;
    if (m_way == Way::Decoupled)
        first.mul_(constantTensor(static_cast<float>(m_rates.firstMomentDecay))).add_(gradient, newPart);
    else
        first.lerp_(gradient, newPart);
    second.mul_(constantTensor(static_cast<float>(m_rates.secondMomentDecay)))
        .addcmul_(gradient, gradient, 1.0 - m_rates.secondMomentDecay);
    at::sqrt_out(root, second);
    at::div_out(divided, root, constantTensor(static_cast<float>(corrections.rootOfSecond)))
        .add_(constantTensor(static_cast<float>(m_rates.stabilizer)));
    value.addcdiv_(first, divided, -corrections.stepSize);
}

} // namespace batchpeak::network

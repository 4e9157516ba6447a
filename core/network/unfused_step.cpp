// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unfused_step.h"

#include "constant_tensor.h"

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
#include <ATen/ops/sqrt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace batchpeak::network {

namespace {

constexpr float one = 1.0F;

/// The first elements of a room, as those of another tensor lie.
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
    if (m_way == Way::Together)
        admitRoots();
    else
        rooms = makeRooms();
    stepCount.add_(constantTensor(one));
    const auto step = static_cast<double>(*stepCount.const_data_ptr<float>());
    const Corrections corrections{.stepSize =
                                      m_rates.learningRate / (1.0 - std::pow(m_rates.firstMomentDecay, step)),
                                  .rootOfSecond = std::sqrt(1.0 - std::pow(m_rates.secondMomentDecay, step))};
    if (m_way == Way::OneByOne) {
        stepOneByOne(corrections, rooms);
        return;
    }
    for (const Group& group : m_groups)
        stepTogether(group, corrections);
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

// The root of a moment, and what it is divided to.
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

void UnfusedStep::stepOneByOne(const Corrections& corrections, const std::vector<at::Tensor>& rooms) const
{
    const auto left = static_cast<float>(1.0 - m_rates.learningRate * m_rates.weightDecay);
    const auto secondLeft = static_cast<float>(m_rates.secondMomentDecay);
    const auto rootOfSecond = static_cast<float>(corrections.rootOfSecond);
    const auto stabilizer = static_cast<float>(m_rates.stabilizer);
    for (const Group& group : m_groups) {
        for (std::size_t i = 0; i < group.values.size(); ++i) {
            const at::Tensor& gradient = group.gradients[i];
            const at::Tensor& second = group.secondMoments[i];
            at::Tensor root = in(rooms.front(), second);
            at::Tensor divided = in(rooms.back(), second);
            if (group.decays)
                group.values[i].mul_(constantTensor(left));
            group.firstMoments[i].lerp_(gradient, 1.0 - m_rates.firstMomentDecay);
            second.mul_(constantTensor(secondLeft))
                .addcmul_(gradient, gradient, 1.0 - m_rates.secondMomentDecay);
            at::sqrt_out(root, second);
            at::div_out(divided, root, constantTensor(rootOfSecond)).add_(constantTensor(stabilizer));
            group.values[i].addcdiv_(group.firstMoments[i], divided, -corrections.stepSize);
        }
    }
}

} // namespace batchpeak::network

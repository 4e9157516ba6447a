// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimizer_step.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros.h>

namespace batchpeak::network {

namespace {

constexpr double learningRate = 3e-4;
// GPT-3, arXiv 2005.14165, appendix B.
constexpr double firstMomentDecay = 0.9;
constexpr double secondMomentDecay = 0.95;
constexpr double stabilizer = 1e-8;
constexpr double weightDecay = 0.1;
constexpr double momentum = 0.9;

} // namespace

OptimizerStep::OptimizerStep(model::Optimizer kind, FlatParameters& parameters)
    : m_kind(kind), m_parameters(parameters)
{
    std::int64_t elements = 0;
    for (const auto& segment : parameters.segments())
        elements += segment.values.numel();
    const at::TensorOptions options(parameters.segments().front().values.device());
    for (int copy = 0; copy < model::optimizerStateCopies(kind); ++copy)
        m_buffers.push_back(at::zeros({elements}, options));

    std::int64_t offset = 0;
    for (const auto& segment : parameters.segments()) {
        const std::int64_t size = segment.values.numel();
        m_states.push_back({.first = m_buffers.front().narrow(0, offset, size),
                            .second = m_buffers.back().narrow(0, offset, size)});
        offset += size;
    }
    if (kind == model::Optimizer::AdamW)
        m_stepCount = at::zeros({}, options);
}

void OptimizerStep::run()
{
    const at::NoGradGuard noGradients;
    if (m_kind == model::Optimizer::AdamW)
        runAdamW();
    else
        runSgd();
    m_parameters.clearGradients();
}

void OptimizerStep::runAdamW()
{
    m_stepCount.add_(1);
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        const FlatParameters::Segment& segment = m_parameters.segments()[i];
        at::_fused_adamw_({segment.values}, {segment.gradients}, {m_states[i].first}, {m_states[i].second},
                          {}, {m_stepCount}, learningRate, firstMomentDecay, secondMomentDecay,
                          segment.decays ? weightDecay : 0.0, stabilizer, /*amsgrad=*/false,
                          /*maximize=*/false);
    }
}

void OptimizerStep::runSgd()
{
    // Momentum that starts at zero makes the first step like any other.
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        const FlatParameters::Segment& segment = m_parameters.segments()[i];
        at::_fused_sgd_({segment.values}, {segment.gradients}, {m_states[i].first},
                        segment.decays ? weightDecay : 0.0, momentum, learningRate, /*dampening=*/0.0,
                        /*nesterov=*/false, /*maximize=*/false, /*is_first_step=*/false);
    }
}

} // namespace batchpeak::network

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimizer_step.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace batchpeak::network {

namespace {

// GPT-3, arXiv 2005.14165, appendix B.
constexpr double firstMomentDecay = 0.9;
constexpr double secondMomentDecay = 0.95;
constexpr double stabilizer = 1e-8;
constexpr double weightDecay = 0.1;
constexpr double momentum = 0.9;
// torch.nn.utils.clip_grad_norm_.
constexpr double normStabilizer = 1e-6;
// Gradients that are widened together: enough for one kernel to fill a GPU, 64 MiB in fp32.
constexpr std::int64_t mostWideElements = std::int64_t{1} << 24;

std::int64_t wideElements(std::int64_t elements)
{
    return std::min(elements, mostWideElements);
}

} // namespace

std::vector<std::int64_t> OptimizerStep::stateBytes(model::Optimizer kind, std::int64_t elements,
                                                    at::ScalarType type)
{
    constexpr std::int64_t floatBytes = sizeof(float);
    const auto copies = static_cast<std::size_t>(model::optimizerStateCopies(kind));
    std::vector<std::int64_t> bytes(copies, elements * floatBytes);
    if (type != at::kFloat) {
        bytes.push_back(elements * floatBytes);
        bytes.push_back(wideElements(elements) * floatBytes);
    }
    if (kind == model::Optimizer::AdamW)
        bytes.push_back(floatBytes);
    return bytes;
}

OptimizerStep::OptimizerStep(model::Optimizer kind, FlatParameters& parameters, double maxGradientNorm,
                             double learningRate)
    : m_kind(kind), m_parameters(parameters), m_maxGradientNorm(maxGradientNorm), m_learningRate(learningRate)
{
    std::int64_t elements = 0;
    for (const auto& segment : parameters.segments())
        elements += segment.values.numel();
    const at::Tensor& values = parameters.segments().front().values;
    const auto options = at::TensorOptions(values.device()).dtype(at::kFloat);
    for (int copy = 0; copy < model::optimizerStateCopies(kind); ++copy)
        m_moments.push_back(at::zeros({elements}, options));
    if (values.scalar_type() != at::kFloat) {
        m_masters = at::zeros({elements}, options);
        m_wideGradients = at::zeros({wideElements(elements)}, options);
    }
    if (kind == model::Optimizer::AdamW)
        m_stepCount = at::zeros({}, options);

    std::int64_t offset = 0;
    for (const auto& segment : parameters.segments()) {
        addPieces(segment, offset);
        offset += segment.values.numel();
    }
}

void OptimizerStep::addPieces(const FlatParameters::Segment& segment, std::int64_t offset)
{
    const std::int64_t elements = segment.values.numel();
    const std::int64_t atOnce = m_wideGradients.defined() ? m_wideGradients.numel() : elements;
    for (std::int64_t first = 0; first < elements; first += atOnce) {
        const std::int64_t size = std::min(atOnce, elements - first);
        Piece piece{.values = segment.values.narrow(0, first, size),
                    .gradients = segment.gradients.narrow(0, first, size),
                    .firstMoment = m_moments.front().narrow(0, offset + first, size),
                    .secondMoment = m_moments.back().narrow(0, offset + first, size),
                    .decays = segment.decays};
        if (m_masters.defined()) {
            piece.masterValues = m_masters.narrow(0, offset + first, size);
            piece.masterValues.copy_(piece.values);
            piece.masterGradients = m_wideGradients.narrow(0, 0, size);
        } else {
            piece.masterValues = piece.values;
            piece.masterGradients = piece.gradients;
        }
        m_pieces.push_back(piece);
    }
}

std::vector<NamedTensor> OptimizerStep::state() const
{
    std::vector<NamedTensor> state;
    if (m_kind == model::Optimizer::AdamW) {
        state = {{.name = "exp_avg", .tensor = m_moments.front()},
                 {.name = "exp_avg_sq", .tensor = m_moments.back()},
                 {.name = "step", .tensor = m_stepCount}};
    } else {
        state = {{.name = "momentum_buffer", .tensor = m_moments.front()}};
    }
    if (m_masters.defined())
        state.push_back({.name = "master", .tensor = m_masters});
    return state;
}

void OptimizerStep::run()
{
    const at::NoGradGuard noGradients;
    m_parameters.completeGradients();
    if (m_maxGradientNorm > 0)
        clip();
    if (m_stepCount.defined())
        m_stepCount.add_(1);
    for (const Piece& piece : m_pieces) {
        if (m_masters.defined())
            piece.masterGradients.copy_(piece.gradients);
        update(piece);
        if (m_masters.defined())
            at::Tensor(piece.values).copy_(piece.masterValues);
    }
    m_parameters.clearGradients();
}

void OptimizerStep::clip()
{
    const at::Tensor& gradients = m_parameters.gradients();
    const at::Tensor norm = at::linalg_vector_norm(gradients, 2, /*dim=*/{}, /*keepdim=*/false, at::kFloat);
    const at::Tensor scale = norm.add_(normStabilizer).reciprocal_().mul_(m_maxGradientNorm).clamp_max_(1.0);
    at::Tensor(gradients).mul_(scale);
}

void OptimizerStep::update(const Piece& piece)
{
    const double decay = piece.decays ? weightDecay : 0.0;
    if (m_kind == model::Optimizer::AdamW) {
        at::_fused_adamw_({piece.masterValues}, {piece.masterGradients}, {piece.firstMoment},
                          {piece.secondMoment}, {}, {m_stepCount}, m_learningRate, firstMomentDecay,
                          secondMomentDecay, decay, stabilizer, /*amsgrad=*/false, /*maximize=*/false);
        return;
    }
    // Momentum that starts at zero makes the first step like any other.
    at::_fused_sgd_({piece.masterValues}, {piece.masterGradients}, {piece.firstMoment}, decay, momentum,
                    m_learningRate, /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false,
                    /*is_first_step=*/false);
}

} // namespace batchpeak::network

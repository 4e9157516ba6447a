// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lion.h"

#include "networks/constant_tensor.h"

#include <ATen/ops/lerp.h>

namespace batchpeak::network {

namespace {

// Lion in optim/lion.py of bitsandbytes 0.50.2, and DecoupledLionW in llmfoundry/optim/lion.py of LLM-Foundry
// 0.22.
constexpr double updateDecay = 0.9;
constexpr double momentDecay = 0.99;
// The same as for the other optimizers here: GPT-3, arXiv 2005.14165, appendix B.
constexpr double lionWeightDecay = 0.1;

} // namespace

Lion::Lion(double learningRate)
    : m_learningRate(learningRate), m_left(static_cast<float>(1.0 - learningRate * lionWeightDecay))
{}

// The operations of DecoupledLionW.lionw, one by one.
void Lion::update(const at::Tensor& values, const at::Tensor& gradients, const at::Tensor& moment,
                  at::Tensor room, bool decays) const
{
    if (decays)
        values.mul_(constantTensor(m_left));
    at::lerp_out(room, moment, gradients, 1.0 - updateDecay).sign_();
    values.add_(room, -m_learningRate);
    moment.lerp_(gradients, 1.0 - momentDecay);
}

} // namespace batchpeak::network

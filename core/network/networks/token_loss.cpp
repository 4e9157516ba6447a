// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "token_loss.h"

#include "kernels/activation_checkpoint.h"
#include "network.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace batchpeak::network {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor wholeLoss(const at::Tensor& hidden, const Affine& output, const at::Tensor& targets,
                     const LossCut& cut)
{
    at::Tensor logits = softCapped(linear(hidden, output, cut.trains), cut.softCap);
    // The loss is a sum of many exponentials, which bf16 cannot hold.
    logits = logits.to(at::kFloat);
    return at::cross_entropy_loss(logits, targets, /*weight=*/{}, at::Reduction::Sum, ignoredTarget);
}

/// Returns the current dtype of products, so that operands are narrowed once and not in every chunk.
at::ScalarType productType(const at::Tensor& hidden)
{
    const auto device = hidden.device().type();
    return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device)
                                                     : hidden.scalar_type();
}

/// Sums of a loss and its gradients over chunks of rows.
class ChunkedSum
{
public:
    ChunkedSum(const at::Tensor& hidden, const Affine& output, double normalizer, double softCap)
        : m_output{.weight = output.weight.to(productType(hidden)), .bias = output.bias},
          m_normalizer(normalizer),
          m_softCap(softCap),
          m_loss(at::zeros({}, hidden.options().dtype(at::kFloat)))
    {
        if (m_output.bias.defined())
            m_output.bias = m_output.bias.to(m_output.weight.scalar_type());
    }

    void makeGradients(const at::Tensor& hidden, const Affine& output)
    {
        m_learns = true;
        if (hidden.requires_grad())
            m_hiddenGradient = at::empty_like(hidden);
        if (output.weight.requires_grad())
            m_weightGradient = at::zeros_like(output.weight);
        if (output.bias.defined() && output.bias.requires_grad())
            m_biasGradient = at::zeros_like(output.bias);
    }

    void add(const at::Tensor& hidden, const at::Tensor& targets, std::int64_t firstRow)
    {
        const at::Tensor input = hidden.to(m_output.weight.scalar_type());
        at::Tensor logits = softCapped(linear(input, m_output, /*trains=*/false), m_softCap).to(at::kFloat);
        at::Tensor chances = at::log_softmax(logits, -1);
        m_loss.add_(at::nll_loss(chances, targets, {}, at::Reduction::Sum, ignoredTarget));
        if (!m_learns)
            return;
        if (m_softCap == 0.0)
            logits.reset();
        // The gradient of a row's logits is its probabilities, minus 1 for the target.
        chances.exp_();
        const at::Tensor counted = targets.ne(ignoredTarget).to(at::kFloat).unsqueeze(1);
        chances.scatter_add_(1, targets.clamp_min(0).unsqueeze(1), counted.neg());
        chances.mul_(counted.div(m_normalizer));
        // The derivative of cap * tanh(x / cap) is 1 minus the square of its value divided by the cap.
        if (logits.defined())
            chances.mul_(logits.div_(m_softCap).square_().neg_().add_(1.0));
        const at::Tensor gradient = chances.to(m_output.weight.scalar_type());
        if (m_hiddenGradient.defined())
            m_hiddenGradient.narrow(0, firstRow, hidden.size(0)).copy_(at::mm(gradient, m_output.weight));
        if (m_weightGradient.defined())
            m_weightGradient.add_(at::mm(gradient.t(), input));
        if (m_biasGradient.defined())
            m_biasGradient.add_(chances.sum(0));
    }

    at::Tensor loss() const { return m_loss.div(m_normalizer); }
    variable_list gradients() const { return {m_hiddenGradient, m_weightGradient, m_biasGradient}; }

private:
    Affine m_output;
    double m_normalizer;
    double m_softCap;
    at::Tensor m_loss;
    /// Whether something that the loss is computed from requires a gradient.
    bool m_learns = false;
    at::Tensor m_hiddenGradient;
    at::Tensor m_weightGradient;
    at::Tensor m_biasGradient;
};

struct ChunkedLoss : torch::autograd::Function<ChunkedLoss>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& weight,
                              const std::optional<at::Tensor>& bias, const at::Tensor& targets,
                              double normalizer, std::int64_t chunkRows, double softCap)
    {
        const Affine output{.weight = weight, .bias = bias.value_or(at::Tensor())};
        ChunkedSum sum(hidden, output, normalizer, softCap);
        const bool learns =
            hidden.requires_grad() || weight.requires_grad() || (bias && bias->requires_grad());
        if (learns)
            sum.makeGradients(hidden, output);
        {
            // The operands have the dtype of products already.
            const c10::impl::ExcludeDispatchKeyGuard plain(c10::autocast_dispatch_keyset);
            for (std::int64_t row = 0; row < hidden.size(0); row += chunkRows) {
                const std::int64_t rows = std::min(chunkRows, hidden.size(0) - row);
                sum.add(hidden.narrow(0, row, rows), targets.narrow(0, row, rows), row);
            }
        }
        if (learns)
            context->save_for_backward(sum.gradients());
        return sum.loss();
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        variable_list result(7);
        const variable_list saved = context->get_saved_variables();
        for (std::size_t i = 0; i < saved.size(); ++i) {
            if (saved[i].defined())
                result[i] = saved[i].mul_(gradients.front());
        }
        return result;
    }
};

/// Enables autocast to the dtype of parameters if they have 16 bits, while it lives, as training frameworks
/// do beside such parameters too. An enabled autocast stays as it is.
class NarrowProducts
{
public:
    explicit NarrowProducts(const at::Tensor& hidden) : m_device(hidden.device().type())
    {
        if (hidden.scalar_type() == at::kFloat || at::autocast::is_autocast_enabled(m_device))
            return;
        m_before = at::autocast::get_autocast_dtype(m_device);
        at::autocast::set_autocast_dtype(m_device, hidden.scalar_type());
        at::autocast::set_autocast_enabled(m_device, true);
    }
    ~NarrowProducts()
    {
        if (!m_before)
            return;
        at::autocast::set_autocast_enabled(m_device, false);
        at::autocast::set_autocast_dtype(m_device, *m_before);
    }
    NarrowProducts(const NarrowProducts&) = delete;
    NarrowProducts& operator=(const NarrowProducts&) = delete;

private:
    at::DeviceType m_device;
    std::optional<at::ScalarType> m_before;
};

/// Returns the loss of one chunk, operation by operation as in _chunk in trl/trainer/sft_trainer.py of TRL
/// 1.7. That also reports accuracy and entropy of each chunk, which are computed here and dropped.
at::Tensor chunkLoss(const std::vector<at::Tensor>& inputs, const at::Tensor& targets, double softCap)
{
    const at::Tensor& hidden = inputs.at(0);
    const NarrowProducts narrow(hidden);
    at::Tensor logits = at::matmul(hidden.to(at::kFloat), inputs.at(1).to(at::kFloat).t());
    if (inputs.size() > 2)
        logits = logits.add(inputs.at(2).to(at::kFloat));
    logits = softCapped(logits, softCap);
    const at::Tensor chances = at::log_softmax(logits, -1, at::kFloat);
    at::Tensor loss = at::nll_loss(chances, targets, {}, at::Reduction::Sum, ignoredTarget);
    const at::Tensor counted = targets.ne(ignoredTarget);
    logits.argmax(-1).eq(targets).logical_and(counted).sum();
    chances.exp().mul(chances).sum(-1).neg().mul(counted).sum();
    return loss;
}

/// Puts targets that are not counted after the others, and leaves out chunks of them.
at::Tensor recomputedLoss(const at::Tensor& hidden, const Affine& output, const at::Tensor& targets,
                          const LossCut& cut)
{
    const at::Tensor counted = targets.ne(ignoredTarget);
    const auto rows = counted.sum().item<std::int64_t>();
    const at::Tensor order = counted.to(at::kChar).argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
    const at::Tensor packed = hidden.index_select(0, order);
    const at::Tensor expected = targets.index_select(0, order);
    at::Tensor sum = at::zeros({}, hidden.options().dtype(at::kFloat));
    for (std::int64_t row = 0; row < rows; row += cut.chunkRows) {
        const std::int64_t count = std::min(cut.chunkRows, packed.size(0) - row);
        std::vector<at::Tensor> inputs{packed.narrow(0, row, count), output.weight};
        if (output.bias.defined())
            inputs.push_back(output.bias);
        const auto part = [chunk = expected.narrow(0, row, count), softCap = cut.softCap](
                              const std::vector<at::Tensor>& of) { return chunkLoss(of, chunk, softCap); };
        const bool learns = at::GradMode::is_enabled() && std::ranges::any_of(inputs, [](const auto& input) {
                                return input.requires_grad();
                            });
        sum = sum.add(learns ? checkpointed(part, inputs) : part(inputs));
    }
    return sum;
}

} // namespace

at::Tensor tokenLoss(const at::Tensor& hidden, const Affine& output, const at::Tensor& targets,
                     double normalizer, const LossCut& cut)
{
    if (cut.chunkRows > 0 && cut.recomputes)
        return recomputedLoss(hidden, output, targets, cut).div(normalizer);
    if (cut.chunkRows > 0) {
        // An argument of a Function must be a defined tensor or no tensor at all.
        const auto bias = output.bias.defined() ? std::optional(output.bias) : std::nullopt;
        return ChunkedLoss::apply(hidden, output.weight, bias, targets, normalizer, cut.chunkRows,
                                  cut.softCap);
    }
    if (cut.parts <= 1)
        return wholeLoss(hidden, output, targets, cut).div(normalizer);
    const std::int64_t parts = std::min(cut.parts, hidden.size(0));
    const std::vector<at::Tensor> rows = hidden.tensor_split(parts);
    const std::vector<at::Tensor> expected = targets.tensor_split(parts);
    at::Tensor sum;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const at::Tensor loss = wholeLoss(rows[i], output, expected[i], cut);
        sum = sum.defined() ? sum.add(loss) : loss;
    }
    return sum.div(normalizer);
}

} // namespace batchpeak::network

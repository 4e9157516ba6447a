// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/networks/network.h"
#include "network/networks/token_loss.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>
#include <vector>

using namespace batchpeak::network;

namespace {

constexpr std::int64_t tokens = 23;
constexpr std::int64_t width = 16;
constexpr std::int64_t vocabulary = 37;

struct Problem
{
    at::Tensor hidden = at::randn({tokens, width}).requires_grad_();
    Affine output{.weight = at::randn({vocabulary, width}).requires_grad_(),
                  .bias = at::randn({vocabulary}).requires_grad_()};
    at::Tensor targets = at::randint(vocabulary, {tokens}, at::kLong);

    std::vector<at::Tensor> gradients(const LossCut& cut)
    {
        for (const at::Tensor& tensor : {hidden, output.weight, output.bias})
            at::Tensor(tensor).mutable_grad() = at::Tensor();
        // The gradients are computed in forward; a factor after the loss must scale them.
        tokenLoss(hidden, output, targets, 5.0, cut).mul(3.0).backward();
        return {hidden.grad(), output.weight.grad(), output.bias.grad()};
    }
};

} // namespace

class TokenLossTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { at::manual_seed(4); }

    void dividesTheSumByTheNormalizer()
    {
        Problem problem;
        problem.targets[3] = ignoredTarget;
        const at::Tensor logits = at::matmul(problem.hidden, problem.output.weight.t()) + problem.output.bias;
        double expected = 0;
        for (std::int64_t row = 0; row < tokens; ++row) {
            const auto target = problem.targets[row].item<std::int64_t>();
            if (target != ignoredTarget)
                expected += (logits[row].logsumexp(0) - logits[row][target]).item<double>();
        }
        for (const std::int64_t chunkRows : {0, 1, 7, 23, 100}) {
            const at::NoGradGuard noGradients;
            const double loss =
                tokenLoss(problem.hidden, problem.output, problem.targets, 5.0, {.chunkRows = chunkRows})
                    .item<double>();
            VERIFY_BELOW(std::abs(loss / (expected / 5.0) - 1), 1e-5);
        }
    }

    void hasTheSameGradientsInChunks_data()
    {
        rows<LossCut, bool>(
            {{"one by one", {{.chunkRows = 1}, false}},
             {"chunks and a rest", {{.chunkRows = 7}, false}},
             {"all in one", {{.chunkRows = 100}, false}},
             {"some targets ignored", {{.chunkRows = 7}, true}},
             {"recomputed", {{.chunkRows = 7, .recomputes = true}, false}},
             {"recomputed, all in one", {{.chunkRows = 100, .recomputes = true}, true}},
             {"recomputed, some targets ignored", {{.chunkRows = 7, .recomputes = true}, true}},
             {"recomputed, capped", {{.chunkRows = 7, .recomputes = true, .softCap = 2.0}, true}},
             {"in parts", {{.parts = 4}, true}},
             {"capped", {{.chunkRows = 7, .softCap = 2.0}, true}},
             {"capped in parts", {{.parts = 4, .softCap = 2.0}, true}}});
    }
    void hasTheSameGradientsInChunks()
    {
        const auto& [cut, ignoresSome] = row<LossCut, bool>();
        Problem problem;
        if (ignoresSome)
            problem.targets.narrow(0, 2, 9).fill_(ignoredTarget);
        const auto whole = problem.gradients({.softCap = cut.softCap});
        const auto chunked = problem.gradients(cut);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            VERIFY_BELOW(((chunked[i] - whole[i]).norm() / whole[i].norm()).item<double>(), 2e-6);
        }
    }

    // Ignored targets come last and get no chunks, so the others fill whole chunks.
    void leavesIgnoredTargetsOut()
    {
        Problem problem;
        problem.targets.narrow(0, 0, 16).fill_(ignoredTarget);
        const auto lossOf = [&](const LossCut& cut) {
            return tokenLoss(problem.hidden, problem.output, problem.targets, 5.0, cut);
        };
        std::size_t chunks = 0;
        const at::Tensor loss = lossOf({.chunkRows = 4, .recomputes = true});
        // Under the division, each addition has one chunk as its other input.
        for (auto node = loss.grad_fn()->next_edge(0).function; node && node->num_inputs() == 1;
             node = node->num_outputs() > 0 ? node->next_edge(0).function : nullptr)
            ++chunks;
        QCOMPARE(chunks, 2U);
        VERIFY_BELOW(std::abs((loss / lossOf({})).item<double>() - 1), 1e-5);
        problem.targets.fill_(ignoredTarget);
        QCOMPARE(lossOf({.chunkRows = 4, .recomputes = true}).item<double>(), 0.0);
    }

    void capsLogits()
    {
        Problem problem;
        const at::Tensor logits = at::matmul(problem.hidden, problem.output.weight.t()) + problem.output.bias;
        const at::Tensor capped = 2.0 * (logits / 2.0).tanh();
        const at::Tensor right = capped.gather(1, problem.targets.unsqueeze(1)).squeeze(1);
        const double expected = (capped.logsumexp(1) - right).sum().item<double>();
        for (const std::int64_t chunkRows : {0, 7}) {
            const double loss = tokenLoss(problem.hidden, problem.output, problem.targets, 1.0,
                                          {.chunkRows = chunkRows, .softCap = 2.0})
                                    .item<double>();
            VERIFY_BELOW(std::abs(loss / expected - 1), 1e-5);
        }
    }

    void worksWithoutABias()
    {
        Problem problem;
        problem.output.bias = at::Tensor();
        tokenLoss(problem.hidden, problem.output, problem.targets, 1.0, {}).backward();
        const at::Tensor whole = problem.hidden.grad().clone();
        problem.hidden.mutable_grad() = at::Tensor();
        for (const bool recomputes : {false, true}) {
            tokenLoss(problem.hidden, problem.output, problem.targets, 1.0,
                      {.chunkRows = 5, .recomputes = recomputes})
                .backward();
            QVERIFY(at::allclose(problem.hidden.grad(), whole, 1e-5, 1e-6));
            problem.hidden.mutable_grad() = at::Tensor();
        }
    }
};

BATCHPEAK_TEST(TokenLossTest)
#include "tst_token_loss.moc"

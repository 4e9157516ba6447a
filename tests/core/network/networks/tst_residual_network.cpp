// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "network/budget_allocator.h"
#include "network/networks/residual_network.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;
using model::ResNetSpec;

namespace {

constexpr std::int64_t samples = 4;

ResNetSpec tiny(std::int64_t depth)
{
    return {.depth = depth, .classes = 7, .imageSize = 33, .width = 4};
}

FlatParameters parametersAroundOneHalf(const ResNetSpec& spec)
{
    at::manual_seed(11);
    FlatParameters parameters(model::parameterTable(spec), model::Phase::Train, at::kCPU);
    const at::NoGradGuard noGradients;
    for (const auto& segment : parameters.segments())
        at::Tensor(segment.values).normal_(0.5, 0.5);
    return parameters;
}

/// A residual network reimplemented from the paper (arXiv 1512.03385, table 1 and figure 5) for comparison:
/// windows cut out one by one, means and variances from their definitions.
class ReferenceResNet
{
public:
    ReferenceResNet(const ResNetSpec& spec, const FlatParameters& parameters)
        : m_spec(spec), m_parameters(parameters)
    {}

    at::Tensor logits(const at::Tensor& images) const
    {
        at::Tensor x = layer(images, "stem.", "convolution", "norm", 2).clamp_min(0);
        x = pooled(x);
        const std::vector<std::int64_t> blocks = m_spec.depth == 18 ? std::vector<std::int64_t>{2, 2, 2, 2}
                                                                    : std::vector<std::int64_t>{3, 4, 6, 3};
        for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
            for (std::int64_t block = 0; block < blocks[stage]; ++block) {
                const std::string name =
                    "stages." + std::to_string(stage) + ".blocks." + std::to_string(block) + ".";
                x = residual(x, name, stage > 0 && block == 0 ? 2 : 1);
            }
        }
        return at::matmul(x.mean({2, 3}), m_parameters.at("output.weight").t()) +
               m_parameters.at("output.bias");
    }

private:
    /// Returns all windows: {samples, channels, rows, columns, side, side}.
    static at::Tensor windows(const at::Tensor& x, std::int64_t side, std::int64_t stride, double padding)
    {
        const std::int64_t border = side / 2;
        return at::constant_pad_nd(x, {border, border, border, border}, padding)
            .unfold(2, side, stride)
            .unfold(3, side, stride);
    }

    static at::Tensor pooled(const at::Tensor& x)
    {
        return windows(x, 3, 2, -std::numeric_limits<double>::infinity()).amax({4, 5});
    }

    at::Tensor layer(const at::Tensor& x, const std::string& prefix, const std::string& convolution,
                     const std::string& norm, std::int64_t stride) const
    {
        const at::Tensor weight = m_parameters.at(prefix + convolution + ".weight");
        const at::Tensor product =
            at::einsum("nchwij,ocij->nohw", {windows(x, weight.size(-1), stride, 0.0), weight});
        const at::Tensor centered = product - product.mean({0, 2, 3}, true);
        const at::Tensor variance = (centered * centered).mean({0, 2, 3}, true);
        const auto perChannel = [&](const char* kind) {
            return m_parameters.at(prefix + norm + kind).view({1, -1, 1, 1});
        };
        return centered / (variance + 1e-5).sqrt() * perChannel(".weight") + perChannel(".bias");
    }

    at::Tensor residual(const at::Tensor& x, const std::string& name, std::int64_t stride) const
    {
        at::Tensor y;
        if (m_spec.depth == 18) {
            y = layer(x, name, "convolution1", "norm1", stride).clamp_min(0);
            y = layer(y, name, "convolution2", "norm2", 1);
        } else {
            y = layer(x, name, "convolution1", "norm1", 1).clamp_min(0);
            y = layer(y, name, "convolution2", "norm2", stride).clamp_min(0);
            y = layer(y, name, "convolution3", "norm3", 1);
        }
        const bool changes = m_parameters.contains(name + "shortcut.convolution.weight");
        const at::Tensor shortcut = changes ? layer(x, name + "shortcut.", "convolution", "norm", stride) : x;
        return (y + shortcut).clamp_min(0);
    }

    const ResNetSpec& m_spec;
    const FlatParameters& m_parameters;
};

} // namespace

class ResidualNetworkTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { prepareLibtorch(); }

    // The memory format of weights, images and activations changes only the choice of kernels.
    void computesTheSameWithChannelsLast()
    {
        const ResNetSpec spec = tiny(18);
        const auto table = model::parameterTable(spec);
        const FlatParameters usual = parametersAroundOneHalf(spec);
        FlatParameters last(table, model::Phase::Train, at::kCPU, {.channelsLast = true});
        {
            const at::NoGradGuard noGradients;
            for (const model::Parameter& parameter : table)
                at::Tensor(last.at(parameter.name)).copy_(usual.at(parameter.name));
        }
        QVERIFY(last.at("stem.convolution.weight").is_contiguous(at::MemoryFormat::ChannelsLast));
        at::manual_seed(5);
        const Batch batch =
            ResidualNetwork(spec, last, {.trains = true, .channelsLast = true}).makeBatch(samples, 0);
        QVERIFY(batch.inputs.front().is_contiguous(at::MemoryFormat::ChannelsLast));
        Batch asDefault = batch;
        asDefault.inputs.front() = batch.inputs.front().contiguous();
        const at::Tensor expected = ResidualNetwork(spec, usual, {.trains = true}).loss(asDefault, 1.0);
        const at::Tensor actual =
            ResidualNetwork(spec, last, {.trains = true, .channelsLast = true}).loss(batch, 1.0);
        QVERIFY(relativeDifference(actual.detach(), expected.detach()) < 1e-4);
        expected.backward();
        actual.backward();
        const WorstDifference worst =
            worstDifference(gradientsOf(last, table), gradientsOf(usual, table), table);
        QVERIFY2(worst.relative < 1e-2, qPrintable(worst.parameter));
        for (const NamedTensor& stretch : last.stretchesOf(last.gradients()))
            QVERIFY(at::equal(stretch.tensor, last.at(stretch.name).grad()));
    }

    void computesWhatThePaperSays_data()
    {
        rows<qint64>({{"two convolutions a block", 18}, {"three convolutions a block", 50}});
    }
    void computesWhatThePaperSays()
    {
        const auto& depth = row<qint64>();
        const ResNetSpec spec = tiny(depth);
        FlatParameters parameters = parametersAroundOneHalf(spec);
        const auto table = model::parameterTable(spec);
        const ResidualNetwork network(spec, parameters, {.trains = true});
        const Batch batch = network.makeBatch(samples, 1);

        const at::Tensor expected = ReferenceResNet(spec, parameters).logits(batch.inputs.front());
        const at::Tensor right = expected.gather(1, batch.targets.unsqueeze(1)).squeeze(1);
        const at::Tensor expectedLoss = (expected.logsumexp(1) - right).mean();
        expectedLoss.backward();
        const auto expectedGradients = gradientsOf(parameters, table);

        parameters.clearGradients();
        const at::Tensor loss = network.loss(batch, samples);
        loss.backward();
        VERIFY_BELOW(std::abs((loss / expectedLoss).item<double>() - 1), 1e-4);
        const auto worst = worstDifference(gradientsOf(parameters, table), expectedGradients, table);
        // Consecutive normalizations amplify rounding errors.
        QVERIFY2(worst.relative < 1e-2,
                 qPrintable(worst.parameter + QLatin1Char(' ') + QString::number(worst.relative)));
    }

    void usesBatchStatisticsOnlyInTraining()
    {
        const at::NoGradGuard noGradients;
        const ResNetSpec spec = tiny(18);
        const FlatParameters parameters = parametersAroundOneHalf(spec);
        const ResidualNetwork evaluates(spec, parameters, {});
        const at::Tensor images = evaluates.makeBatch(samples, 1).inputs.front();
        const at::Tensor first = evaluates.logits(images);
        QVERIFY(at::equal(evaluates.logits(images), first));
        // A sample has the same logits alone and among others.
        QVERIFY(at::allclose(evaluates.logits(images.narrow(0, 0, 1)), first.narrow(0, 0, 1), 1e-3, 1e-3));

        const ResidualNetwork trains(spec, parameters, {.trains = true});
        const at::Tensor among = trains.logits(images).narrow(0, 0, 2);
        QVERIFY(!at::allclose(trains.logits(images.narrow(0, 0, 2)), among, 1e-3, 1e-3));
    }

    void predictsItsBuffers()
    {
        const ResNetSpec spec = tiny(50);
        const FlatParameters parameters = parametersAroundOneHalf(spec);
        const std::int64_t before = BudgetAllocator::installed().counters().allocated;
        const ResidualNetwork network(spec, parameters, {});
        std::int64_t expected = 0;
        for (std::int64_t bytes : ResidualNetwork::bufferBytes(spec, {}))
            expected += (bytes + 511) / 512 * 512;
        QCOMPARE(BudgetAllocator::installed().counters().allocated - before, expected);
    }
};

BATCHPEAK_TEST(ResidualNetworkTest)
#include "tst_residual_network.moc"

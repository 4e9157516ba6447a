// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "network/networks/vision_transformer_network.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;
using model::VisionTransformerSpec;

namespace {

constexpr std::int64_t samples = 3;

/// A vision transformer reimplemented from the paper's formulas (arXiv 2010.11929, equations 1 to 4) for
/// comparison: patches cut out one by one, one head at a time, attention as a whole matrix.
class ReferenceVisionTransformer
{
public:
    ReferenceVisionTransformer(const VisionTransformerSpec& spec, const FlatParameters& parameters)
        : m_spec(spec), m_parameters(parameters)
    {}

    at::Tensor logits(const at::Tensor& images) const
    {
        at::Tensor x = at::cat({m_parameters.at("class_token").expand({images.size(0), 1, m_spec.hiddenSize}),
                                patches(images)},
                               1) +
                       m_parameters.at("embed_positions.weight");
        for (std::int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string layer = "layers." + std::to_string(i) + ".";
            x = x + attention(norm(x, layer + "attention_norm"), layer + "attention.");
            const at::Tensor up = affine(norm(x, layer + "feed_forward_norm"), layer + "feed_forward.up");
            x = x + affine(up * 0.5 * (1 + (up / std::sqrt(2.0)).erf()), layer + "feed_forward.down");
        }
        return affine(norm(x, "final_norm").select(1, 0), "output");
    }

private:
    at::Tensor patches(const at::Tensor& images) const
    {
        const std::int64_t side = m_spec.patchSize;
        const at::Tensor weight = m_parameters.at("patches.weight").flatten(1);
        std::vector<at::Tensor> embedded;
        for (std::int64_t row = 0; row < m_spec.imageSize; row += side) {
            for (std::int64_t column = 0; column < m_spec.imageSize; column += side) {
                const at::Tensor patch = images.slice(2, row, row + side).slice(3, column, column + side);
                embedded.push_back(at::matmul(patch.flatten(1), weight.t()) +
                                   m_parameters.at("patches.bias"));
            }
        }
        return at::stack(embedded, 1);
    }

    at::Tensor affine(const at::Tensor& x, const std::string& name) const
    {
        return at::matmul(x, m_parameters.at(name + ".weight").t()) + m_parameters.at(name + ".bias");
    }

    at::Tensor norm(const at::Tensor& x, const std::string& name) const
    {
        const at::Tensor centered = x - x.mean(-1, true);
        const at::Tensor variance = (centered * centered).mean(-1, true);
        return centered / (variance + m_spec.normalizationEpsilon).sqrt() *
                   m_parameters.at(name + ".weight") +
               m_parameters.at(name + ".bias");
    }

    at::Tensor attention(const at::Tensor& x, const std::string& prefix) const
    {
        const std::int64_t size = m_spec.hiddenSize / m_spec.heads;
        const auto projected = [&](std::int64_t kind, std::int64_t head) {
            const std::int64_t from = kind * m_spec.hiddenSize + head * size;
            const at::Tensor product =
                at::matmul(x, m_parameters.at(prefix + "qkv.weight").slice(0, from, from + size).t());
            return m_spec.attentionBias
                       ? product + m_parameters.at(prefix + "qkv.bias").slice(0, from, from + size)
                       : product;
        };
        std::vector<at::Tensor> heads;
        for (std::int64_t head = 0; head < m_spec.heads; ++head) {
            const at::Tensor scores = at::matmul(projected(0, head), projected(1, head).transpose(1, 2)) /
                                      std::sqrt(static_cast<double>(size));
            heads.push_back(at::matmul(scores.softmax(-1), projected(2, head)));
        }
        return affine(at::cat(heads, -1), prefix + "output");
    }

    const VisionTransformerSpec& m_spec;
    const FlatParameters& m_parameters;
};

} // namespace

class VisionTransformerNetworkTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { prepareLibtorch(); }

    void computesWhatThePaperSays_data()
    {
        const auto add = rows<VisionTransformerSpec>();
        add("ViT", tinyVisionTransformer());
        VisionTransformerSpec spec = tinyVisionTransformer();
        spec.attentionBias = false;
        spec.channels = 1;
        spec.patchSize = 2;
        add("gray, small patches, queries without bias", spec);
    }
    void computesWhatThePaperSays()
    {
        const auto& spec = row<VisionTransformerSpec>();
        FlatParameters parameters = randomParameters(spec, model::Phase::Train);
        const auto table = model::parameterTable(spec);
        const VisionTransformerNetwork network(spec, parameters, {.trains = true});
        const Batch batch = network.makeBatch(samples, 1);

        const at::Tensor expected = ReferenceVisionTransformer(spec, parameters).logits(batch.inputs.front());
        const at::Tensor right = expected.gather(1, batch.targets.unsqueeze(1)).squeeze(1);
        const at::Tensor expectedLoss = (expected.logsumexp(1) - right).mean();
        expectedLoss.backward();
        const auto expectedGradients = gradientsOf(parameters, table);

        parameters.clearGradients();
        const at::Tensor loss = network.loss(batch, samples);
        loss.backward();
        VERIFY_BELOW(std::abs((loss / expectedLoss).item<double>() - 1), 1e-5);
        const auto worst = worstDifference(gradientsOf(parameters, table), expectedGradients, table);
        QVERIFY2(worst.relative < 1e-4,
                 qPrintable(worst.parameter + QLatin1Char(' ') + QString::number(worst.relative)));
    }

    void appliesDropoutOnlyInTraining_data()
    {
        rows<double, double>({{"residual branches", {0.3, 0.0}}, {"attention weights", {0.0, 0.3}}});
    }
    void appliesDropoutOnlyInTraining()
    {
        const auto& [dropout, attentionDropout] = row<double, double>();
        const at::NoGradGuard noGradients;
        VisionTransformerSpec spec = tinyVisionTransformer();
        const FlatParameters parameters = randomParameters(spec);
        const VisionTransformerNetwork without(spec, parameters, {.trains = true});
        const at::Tensor images = without.makeBatch(samples, 1).inputs.front();
        spec.dropout = dropout;
        spec.attentionDropout = attentionDropout;
        const VisionTransformerNetwork evaluates(spec, parameters, {});
        QVERIFY(at::equal(evaluates.logits(images), without.logits(images)));
        const VisionTransformerNetwork trains(spec, parameters, {.trains = true});
        QVERIFY(!at::allclose(trains.logits(images), without.logits(images)));
        QVERIFY(!at::allclose(trains.logits(images), trains.logits(images)));
    }
};

BATCHPEAK_TEST(VisionTransformerNetworkTest)
#include "tst_vision_transformer_network.moc"

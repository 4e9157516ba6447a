// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "budget_allocator.h"
#include "decoder_network.h"
#include "flat_parameters.h"
#include "optimizer_step.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>

#include <QTest>

#include <cmath>
#include <map>
#include <string>

using namespace batchpeak;
using namespace batchpeak::network;
using model::DecoderSpec;

namespace {

DecoderSpec gpt(std::int64_t hidden, std::int64_t layers, std::int64_t heads, std::int64_t positions)
{
    DecoderSpec spec = tinyGpt();
    spec.vocabularySize = 50257;
    spec.hiddenSize = hidden;
    spec.layers = layers;
    spec.heads = spec.keyValueHeads = heads;
    spec.feedForwardSize = 4 * hidden;
    spec.maxPositions = positions;
    return spec;
}

DecoderSpec llama(std::int64_t vocabulary, std::int64_t hidden, std::int64_t layers, std::int64_t heads,
                  std::int64_t keyValueHeads, std::int64_t feedForward)
{
    DecoderSpec spec = tinyLlama();
    spec.vocabularySize = vocabulary;
    spec.hiddenSize = hidden;
    spec.layers = layers;
    spec.heads = heads;
    spec.keyValueHeads = keyValueHeads;
    spec.feedForwardSize = feedForward;
    return spec;
}

void backward(const DecoderSpec& spec, const FlatParameters& parameters)
{
    const at::Tensor tokens = at::arange(48, at::kLong).remainder(spec.vocabularySize).view({3, 16});
    DecoderNetwork(spec, parameters, {.sequenceLength = 16, .trains = true})
        .loss(tokens, tokens.roll(-1, 1))
        .backward();
}

} // namespace

class FlatParametersTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { BudgetAllocator::installed(); }

    // Published counts, as Hugging Face counts them; nothing is allocated on the meta device.
    void materialisesPublishedCounts_data()
    {
        QTest::addColumn<DecoderSpec>("spec");
        QTest::addColumn<qint64>("count");
        QTest::newRow("GPT-2 S") << gpt(768, 12, 12, 1024) << qint64{124439808};
        QTest::newRow("GPT-2 XL") << gpt(1600, 48, 25, 1024) << qint64{1557611200};
        QTest::newRow("GPT-3 175B") << gpt(12288, 96, 96, 2048) << qint64{174604259328};
        QTest::newRow("LLaMA 7b") << llama(32000, 4096, 32, 32, 32, 11008) << qint64{6738415616};
        QTest::newRow("LLaMA 2 70b") << llama(32000, 8192, 80, 64, 8, 28672) << qint64{68976648192};
        QTest::newRow("LLaMA 3 8b") << llama(128256, 4096, 32, 32, 8, 14336) << qint64{8030261248};
    }
    void materialisesPublishedCounts()
    {
        QFETCH(DecoderSpec, spec);
        QFETCH(qint64, count);
        const auto table = model::parameterTable(spec);
        const FlatParameters parameters(table, model::Phase::Train, at::kMeta);
        QCOMPARE(parameters.elements(), count);
        for (const model::Parameter& parameter : table)
            QCOMPARE(parameters.at(parameter.name).sizes().vec(), parameter.shape);
    }

    void collectsGradientsInOneBuffer_data()
    {
        QTest::addColumn<DecoderSpec>("spec");
        QTest::newRow("GPT") << tinyGpt();
        QTest::newRow("LLaMA") << tinyLlama();
    }
    void collectsGradientsInOneBuffer()
    {
        QFETCH(DecoderSpec, spec);
        const auto table = model::parameterTable(spec);
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        backward(spec, parameters);
        double sum = 0;
        for (const model::Parameter& parameter : table) {
            const at::Tensor gradient = parameters.at(parameter.name).grad();
            QVERIFY(gradient.isfinite().all().item<bool>());
            QVERIFY2(gradient.abs().sum().item<double>() > 0, parameter.name.c_str());
            sum += gradient.square().sum().item<double>();
        }
        double flat = 0;
        for (const auto& segment : parameters.segments())
            flat += segment.gradients.square().sum().item<double>();
        QVERIFY(std::abs(flat / sum - 1) < 1e-5);
        parameters.clearGradients();
        QCOMPARE(parameters.at(table.front().name).grad().abs().sum().item<double>(), 0.0);
    }

    void bindsGradientsAgain()
    {
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        at::Tensor parameter = parameters.at(table.front().name);
        parameter.mutable_grad() = at::ones_like(parameter);
        parameters.bindGradients();
        QVERIFY(parameter.grad().is_alias_of(parameters.segments().front().gradients));
        QCOMPARE(parameter.grad().abs().sum().item<double>(), 0.0);
    }

    void holdsNoGradientsInEvaluation()
    {
        const auto table = model::parameterTable(tinyGpt());
        const FlatParameters parameters(table, model::Phase::Eval, at::kCPU);
        for (const model::Parameter& parameter : table)
            QVERIFY(!parameters.at(parameter.name).requires_grad());
        for (const auto& segment : parameters.segments())
            QVERIFY(!segment.gradients.defined());
    }

    void decaysTheFirstSegmentAlone()
    {
        const auto table = model::parameterTable(tinyGpt());
        const FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        QCOMPARE(parameters.segments().size(), std::size_t{2});
        for (const model::Parameter& parameter : table) {
            const bool first =
                parameters.at(parameter.name).data_ptr() < parameters.segments()[1].values.data_ptr();
            QCOMPARE(first, parameter.decays);
        }
        QVERIFY(parameters.segments()[0].decays);
        QVERIFY(!parameters.segments()[1].decays);
    }

    // AdamW (arXiv 1711.05101) and SGD with momentum, one parameter at a time, in double precision.
    void updatesLikeOneParameterAtATime_data()
    {
        QTest::addColumn<model::Optimizer>("kind");
        QTest::newRow("AdamW") << model::Optimizer::AdamW;
        QTest::newRow("SGD") << model::Optimizer::Sgd;
    }
    void updatesLikeOneParameterAtATime()
    {
        QFETCH(model::Optimizer, kind);
        const DecoderSpec spec = tinyGpt();
        const auto table = model::parameterTable(spec);
        at::manual_seed(3);
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        OptimizerStep optimizer(kind, parameters);
        struct Expected
        {
            at::Tensor value, first, second;
        };
        std::map<std::string, Expected> expected;
        for (const model::Parameter& parameter : table) {
            const at::Tensor value = parameters.at(parameter.name).detach().to(at::kDouble, false, true);
            expected[parameter.name] = {value, at::zeros_like(value), at::zeros_like(value)};
        }
        for (int step = 1; step <= 3; ++step) {
            backward(spec, parameters);
            for (const model::Parameter& parameter : table) {
                auto& [value, first, second] = expected[parameter.name];
                at::Tensor gradient = parameters.at(parameter.name).grad().to(at::kDouble);
                const double decay = parameter.decays ? 0.1 : 0.0;
                if (kind == model::Optimizer::AdamW) {
                    first = 0.9 * first + 0.1 * gradient;
                    second = 0.95 * second + 0.05 * gradient.square();
                    const at::Tensor mean = first / (1 - std::pow(0.9, step));
                    const at::Tensor scale = (second / (1 - std::pow(0.95, step))).sqrt() + 1e-8;
                    value = value * (1 - 3e-4 * decay) - 3e-4 * mean / scale;
                } else {
                    first = 0.9 * first + gradient + decay * value;
                    value = value - 3e-4 * first;
                }
            }
            optimizer.run();
            for (const model::Parameter& parameter : table) {
                const at::Tensor actual = parameters.at(parameter.name).detach().to(at::kDouble);
                const double difference =
                    (actual - expected[parameter.name].value).abs().max().item<double>();
                QVERIFY2(difference < 2e-6, parameter.name.c_str());
            }
            for (const auto& segment : parameters.segments())
                QCOMPARE(segment.gradients.abs().sum().item<double>(), 0.0);
        }
    }
};

QTEST_APPLESS_MAIN(FlatParametersTest)
#include "tst_flat_parameters.moc"

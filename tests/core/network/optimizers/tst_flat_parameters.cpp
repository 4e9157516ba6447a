// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/budget_allocator.h"
#include "network/networks/decoder_network.h"
#include "network/optimizers/flat_parameters.h"
#include "support/rows.h"
#include "support/test_main.h"
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
        .loss({.inputs = {tokens}, .targets = tokens.roll(-1, 1)}, 48.0)
        .backward();
}

} // namespace

class FlatParametersTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { BudgetAllocator::installed(); }

    // Published counts as Hugging Face computes them. On the meta device nothing is allocated.
    void hasPublishedCounts_data()
    {
        rows<DecoderSpec, qint64>({{"GPT-2 S", {gpt(768, 12, 12, 1024), 124439808}},
                                   {"GPT-2 XL", {gpt(1600, 48, 25, 1024), 1557611200}},
                                   {"GPT-3 175B", {gpt(12288, 96, 96, 2048), 174604259328}},
                                   {"LLaMA 7b", {llama(32000, 4096, 32, 32, 32, 11008), 6738415616}},
                                   {"LLaMA 2 70b", {llama(32000, 8192, 80, 64, 8, 28672), 68976648192}},
                                   {"LLaMA 3 8b", {llama(128256, 4096, 32, 32, 8, 14336), 8030261248}}});
    }
    void hasPublishedCounts()
    {
        const auto& [spec, count] = row<DecoderSpec, qint64>();
        const auto table = model::parameterTable(spec);
        const FlatParameters parameters(table, model::Phase::Train, at::kMeta);
        QCOMPARE(parameters.elements(), count);
        for (const model::Parameter& parameter : table)
            QCOMPARE(parameters.at(parameter.name).sizes().vec(), parameter.shape);
    }

    void collectsGradientsInOneBuffer_data()
    {
        rows<DecoderSpec>({{"GPT", tinyGpt()}, {"LLaMA", tinyLlama()}});
    }
    void collectsGradientsInOneBuffer()
    {
        const auto& spec = row<DecoderSpec>();
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
    }

    void accumulatesGradientsUntilTheyAreCleared()
    {
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        const at::Tensor& gradients = parameters.segments().front().gradients;
        backward(tinyGpt(), parameters);
        const at::Tensor once = gradients.clone();
        backward(tinyGpt(), parameters);
        QVERIFY(at::allclose(gradients, 2 * once));
        parameters.clearGradients();
        backward(tinyGpt(), parameters);
        QVERIFY(at::equal(gradients, once));
    }

    void zeroesGradientsThatNoBackwardReached()
    {
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        backward(tinyGpt(), parameters);
        parameters.clearGradients();
        const at::Tensor reached = parameters.at(table.front().name);
        reached.sum().backward();
        parameters.completeGradients();
        const double sum = parameters.segments().front().gradients.sum().item<double>();
        QCOMPARE(sum, static_cast<double>(reached.numel()));
    }

    void discardsGradientsOfAFailedBackward()
    {
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        at::Tensor parameter = parameters.at(table.front().name);
        parameter.mutable_grad() = at::ones_like(parameter);
        parameters.clearGradients();
        QVERIFY(!parameter.grad().defined());
    }

    void alignsNarrowParametersToo()
    {
        const auto table = model::parameterTable(tinyGpt());
        const FlatParameters parameters(table, model::Phase::Train, at::kCPU, {.type = at::kBFloat16});
        QCOMPARE(parameters.gradients().scalar_type(), at::kBFloat16);
        for (const model::Parameter& parameter : table) {
            const at::Tensor& values = parameters.at(parameter.name);
            QCOMPARE(values.scalar_type(), at::kBFloat16);
            QCOMPARE(values.storage_offset() * std::int64_t{2} % 256, 0);
        }
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

    void decaysOnlyTheFirstSegment()
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
};

BATCHPEAK_TEST(FlatParametersTest)
#include "tst_flat_parameters.moc"

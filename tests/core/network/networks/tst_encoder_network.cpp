// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/execution_state.h"
#include "network/networks/encoder_network.h"
#include "network_comparison.h"
#include "reference_encoder.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using model::EncoderSpec;

namespace {

constexpr std::int64_t samples = 3;
constexpr std::int64_t length = 16;

const NetworkOptions evaluation{.sequenceLength = length};

Batch randomBatch(const EncoderNetwork& network)
{
    at::manual_seed(12);
    return network.makeBatch(samples, length);
}

// Sample, position in the sample, and token of a target.
struct Target
{
    std::int64_t sample, place, token;
};

std::vector<Target> targetsOf(const EncoderSpec& spec, const Batch& batch)
{
    std::vector<Target> targets;
    for (std::int64_t sample = 0; sample < batch.targets.size(0); ++sample) {
        for (std::int64_t i = 0; i < batch.targets.size(1); ++i) {
            const auto token = batch.targets[sample][i].item<std::int64_t>();
            // The positions are the third input, after tokens and token types.
            const std::int64_t place =
                spec.predictedTokens > 0 ? batch.inputs[2][sample][i].item<std::int64_t>() : i;
            if (token != ignoredTarget)
                targets.push_back({sample, place, token});
        }
    }
    return targets;
}

} // namespace

class EncoderNetworkTest : public QObject
{
    Q_OBJECT

private:
    at::NoGradGuard m_noGradients;

    static void addSpecs()
    {
        const auto add = rows<EncoderSpec>();
        add("BERT", tinyBert());
        add("BERT, no token types, relu, untied", changed(tinyBert(), [](EncoderSpec& spec) {
                spec.tokenTypes = 0;
                spec.activation = model::Activation::Relu;
                spec.tiedEmbeddings = false;
            }));
        add("BERT, next sentence",
            changed(tinyBert(), [](EncoderSpec& spec) { spec.pooler = spec.nextSentenceHead = true; }));
        add("BERT, classes of texts", changed(tinyBert(), [](EncoderSpec& spec) {
                spec.pooler = spec.nextSentenceHead = true;
                spec.sentenceClasses = 5;
            }));
        add("BERT, head on 5 tokens",
            changed(tinyBert(), [](EncoderSpec& spec) { spec.predictedTokens = 5; }));
        add("ESM-2", tinyEsm());
        add("half of each head rotated",
            changed(tinyEsm(), [](EncoderSpec& spec) { spec.rotaryDimensions = 4; }));
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void computesWhatThePapersSay_data() { addSpecs(); }
    void computesWhatThePapersSay()
    {
        const auto& spec = row<EncoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderNetwork network(spec, parameters, evaluation);
        const Batch batch = randomBatch(network);
        const ReferenceEncoder reference(spec, parameters);
        const at::Tensor hidden =
            reference.encoded(batch.inputs[0], spec.tokenTypes > 0 ? batch.inputs[1] : at::Tensor());
        VERIFY_BELOW(relativeDifference(network.encoded(batch), hidden), 1e-5);

        const std::vector<Target> targets = targetsOf(spec, batch);
        QCOMPARE(std::int64_t(targets.size()), batch.countedTargets);
        double loss = 0;
        for (const Target& target : targets) {
            loss +=
                reference.crossEntropy(reference.scores(hidden[target.sample], target.place), target.token) /
                static_cast<double>(targets.size());
        }
        for (std::int64_t sample = 0; spec.nextSentenceHead && sample < samples; ++sample) {
            loss += reference.crossEntropy(reference.sentenceScores(hidden[sample]),
                                           batch.inputs.back()[sample].item<std::int64_t>()) /
                    samples;
        }
        const double actual = network.loss(batch, static_cast<double>(batch.countedTargets)).item<double>();
        VERIFY_BELOW(std::abs(actual / loss - 1), 1e-5);
    }

    void predictsEquallyManyTokensOfEachSample_data() { addSpecs(); }
    void predictsEquallyManyTokensOfEachSample()
    {
        const auto& spec = row<EncoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        std::vector<QSet<std::int64_t>> places(samples);
        for (const Target& target :
             targetsOf(spec, randomBatch(EncoderNetwork(spec, parameters, evaluation))))
            places.at(static_cast<std::size_t>(target.sample)).insert(target.place);
        // 15 % of 16 tokens, or the number that the spec sets.
        for (const auto& ofSample : places)
            QCOMPARE(std::int64_t(ofSample.size()), spec.predictedTokens > 0 ? spec.predictedTokens : 2);
    }

    void drawsEveryClassOfText_data()
    {
        rows<std::int64_t>({{"sentences that follow each other or not", 2}, {"five classes", 5}});
    }
    void drawsEveryClassOfText()
    {
        const auto classes = row<std::int64_t>();
        const EncoderSpec spec = changed(tinyBert(), [classes](EncoderSpec& s) {
            s.pooler = s.nextSentenceHead = true;
            s.sentenceClasses = classes;
        });
        const FlatParameters parameters = randomParameters(spec);
        const EncoderNetwork network(spec, parameters, evaluation);
        std::vector<SampleRow> rows;
        for (std::uint64_t key = 0; key < 100; ++key)
            rows.push_back({.key = key, .tokens = std::vector<std::int64_t>(length, 1)});
        at::manual_seed(12);
        for (const Batch& batch : {network.makeBatch(100, length), network.batchOf(rows)}) {
            const at::Tensor drawn = std::get<0>(at::_unique(batch.inputs.back(), /*sorted=*/true));
            QVERIFY(at::equal(drawn, at::arange(classes)));
        }
    }

    void masksFewTokensOfEachSample()
    {
        const EncoderSpec spec = tinyEsm();
        const FlatParameters parameters = randomParameters(spec);
        const Batch batch = randomBatch(EncoderNetwork(spec, parameters, evaluation));
        const at::Tensor masked = batch.inputs[0].eq(spec.maskToken);
        // 80 % of two predicted tokens, in whole tokens, and random tokens that are mask tokens by chance.
        const at::Tensor predicted = batch.targets.ne(ignoredTarget);
        QVERIFY(masked.logical_and(predicted).sum(1).ge(1).all().item<bool>());
        QVERIFY(masked.sum(1).lt(length / 2).all().item<bool>());
    }

    void staysCloseInBf16_data() { addSpecs(); }
    void staysCloseInBf16()
    {
        const auto& spec = row<EncoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderNetwork exact(spec, parameters, evaluation);
        const Batch batch = randomBatch(exact);
        const at::Tensor hidden = exact.encoded(batch);
        const EncoderNetwork network(spec, parameters,
                                     {.sequenceLength = length, .computeType = at::kBFloat16});
        const AutocastGuard autocast(at::kCPU, at::kBFloat16);
        const double difference = relativeDifference(network.encoded(batch).to(at::kFloat), hidden);
        // bf16 keeps 8 bits: each product is off by 0.4 %.
        QVERIFY2(difference > 0 && difference < 0.1, qPrintable(QString::number(difference)));
        QCOMPARE(network.loss(batch, 1.0).scalar_type(), at::kFloat);
    }

    void appliesDropoutOnlyInTraining_data()
    {
        rows<EncoderSpec>(
            {{"residual branches", changed(tinyBert(), [](EncoderSpec& spec) { spec.dropout = 0.3; })},
             {"attention weights",
              changed(tinyBert(), [](EncoderSpec& spec) { spec.attentionDropout = 0.3; })}});
    }
    void appliesDropoutOnlyInTraining()
    {
        const auto& spec = row<EncoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderNetwork network(tinyBert(), parameters, evaluation);
        const Batch batch = randomBatch(network);
        const at::Tensor without = network.encoded(batch);
        QVERIFY(at::equal(EncoderNetwork(spec, parameters, evaluation).encoded(batch), without));
        const EncoderNetwork trains(spec, parameters, {.sequenceLength = length, .trains = true});
        const at::Tensor first = trains.encoded(batch);
        QVERIFY(!at::allclose(first, without));
        QVERIFY(!at::allclose(first, trains.encoded(batch)));
    }

    void seesTheFuture()
    {
        const EncoderSpec spec = tinyBert();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderNetwork network(spec, parameters, evaluation);
        Batch batch = randomBatch(network);
        const at::Tensor before = network.encoded(batch);
        batch.inputs[0].select(1, length - 1).add_(1).remainder_(spec.vocabularySize);
        QVERIFY(!at::allclose(network.encoded(batch).select(1, 0), before.select(1, 0)));
    }

    void refusesASequenceThatDoesNotFit()
    {
        const EncoderSpec spec = tinyBert();
        const FlatParameters parameters = randomParameters(spec);
        for (std::int64_t wrong : {std::int64_t{0}, spec.maxPositions + 1}) {
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                                     EncoderNetwork(spec, parameters, {.sequenceLength = wrong}));
        }
    }
};

BATCHPEAK_TEST(EncoderNetworkTest)
#include "tst_encoder_network.moc"

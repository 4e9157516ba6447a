// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/execution_state.h"
#include "network/networks/encoder_decoder_network.h"
#include "network_comparison.h"
#include "reference_encoder_decoder.h"
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
using model::EncoderDecoderSpec;

namespace {

constexpr std::int64_t samples = 2;
constexpr std::int64_t length = 40;
constexpr std::int64_t targetLength = 24;

NetworkOptions optionsOf(std::int64_t sequence, std::int64_t target)
{
    return {.sequenceLength = sequence, .targetLength = target};
}

Batch randomBatch(const EncoderDecoderNetwork& network)
{
    at::manual_seed(12);
    return network.makeBatch(samples, length);
}

} // namespace

class EncoderDecoderNetworkTest : public QObject
{
    Q_OBJECT

private:
    at::NoGradGuard m_noGradients;

    static void addSpecs()
    {
        const auto add = rows<EncoderDecoderSpec>();
        add("T5", tinyT5());
        add("T5 1.1: gated, untied", changed(tinyT5(), [](EncoderDecoderSpec& spec) {
                spec.activation = model::Activation::GeGlu;
                spec.tiedEmbeddings = false;
            }));
        add("LayerNorm, one decoder layer", changed(tinyT5(), [](EncoderDecoderSpec& spec) {
                spec.normalization = model::Normalization::LayerNorm;
                spec.decoderLayers = 1;
            }));
        add("few buckets", changed(tinyT5(), [](EncoderDecoderSpec& spec) {
                spec.relativeBuckets = 8;
                spec.maxRelativeDistance = 11;
            }));
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void computesWhatThePaperSays_data() { addSpecs(); }
    void computesWhatThePaperSays()
    {
        const auto& spec = row<EncoderDecoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderDecoderNetwork network(spec, parameters, optionsOf(length, targetLength));
        const Batch batch = randomBatch(network);
        const at::Tensor logits =
            ReferenceEncoderDecoder(spec, parameters).logits(batch.inputs[0], batch.inputs[1]);
        const at::Tensor right = logits.gather(-1, batch.targets.unsqueeze(-1)).squeeze(-1);
        const double loss = (logits.logsumexp(-1) - right).mean().item<double>();
        const double actual = network.loss(batch, static_cast<double>(batch.countedTargets)).item<double>();
        VERIFY_BELOW(std::abs(actual / loss - 1), 1e-5);
    }

    void shiftsTargetsForTheDecoder()
    {
        const EncoderDecoderSpec spec = tinyT5();
        const FlatParameters parameters = randomParameters(spec);
        const Batch batch =
            randomBatch(EncoderDecoderNetwork(spec, parameters, optionsOf(length, targetLength)));
        QCOMPARE(batch.countedTargets, samples * targetLength);
        QCOMPARE(batch.inputs[0].size(1), length);
        QVERIFY(batch.inputs[1].select(1, 0).eq(0).all().item<bool>());
        QVERIFY(at::equal(batch.inputs[1].slice(1, 1), batch.targets.slice(1, 0, targetLength - 1)));
    }

    void shortensBothSequences()
    {
        const EncoderDecoderSpec spec = tinyT5();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderDecoderNetwork network(spec, parameters, optionsOf(length, targetLength));
        const Batch batch = network.makeBatch(samples, length / 2);
        QCOMPARE(batch.inputs[0].size(1), length / 2);
        QCOMPARE(batch.targets.size(1), targetLength / 2);
        const EncoderDecoderNetwork shorter(spec, parameters, optionsOf(length / 2, targetLength / 2));
        QVERIFY(at::equal(network.decoded(batch), shorter.decoded(batch)));
    }

    void doesNotSeeTheFuture()
    {
        const EncoderDecoderSpec spec = tinyT5();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderDecoderNetwork network(spec, parameters, optionsOf(length, targetLength));
        Batch batch = randomBatch(network);
        const at::Tensor before = network.decoded(batch);
        batch.inputs[1].select(1, targetLength - 1).add_(1).remainder_(spec.vocabularySize);
        const at::Tensor after = network.decoded(batch);
        const std::int64_t last = targetLength - 1;
        QVERIFY(at::allclose(before.slice(1, 0, last), after.slice(1, 0, last), 1e-5, 1e-6));
        QVERIFY(!at::allclose(before.select(1, last), after.select(1, last)));
    }

    void staysCloseInBf16_data() { addSpecs(); }
    void staysCloseInBf16()
    {
        const auto& spec = row<EncoderDecoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const EncoderDecoderNetwork exact(spec, parameters, optionsOf(length, targetLength));
        const Batch batch = randomBatch(exact);
        const at::Tensor hidden = exact.decoded(batch);
        NetworkOptions options = optionsOf(length, targetLength);
        options.computeType = at::kBFloat16;
        const EncoderDecoderNetwork network(spec, parameters, options);
        const AutocastGuard autocast(at::kCPU, at::kBFloat16);
        const double difference = relativeDifference(network.decoded(batch).to(at::kFloat), hidden);
        // bf16 keeps 8 bits: each product is off by 0.4 %.
        QVERIFY2(difference > 0 && difference < 0.1, qPrintable(QString::number(difference)));
        QCOMPARE(network.loss(batch, 1.0).scalar_type(), at::kFloat);
    }

    void appliesDropoutOnlyInTraining()
    {
        const EncoderDecoderSpec spec = changed(tinyT5(), [](EncoderDecoderSpec& s) { s.dropout = 0.3; });
        const FlatParameters parameters = randomParameters(spec);
        NetworkOptions options = optionsOf(length, targetLength);
        const EncoderDecoderNetwork plain(tinyT5(), parameters, options);
        const Batch batch = randomBatch(plain);
        const at::Tensor without = plain.decoded(batch);
        QVERIFY(at::equal(EncoderDecoderNetwork(spec, parameters, options).decoded(batch), without));
        options.trains = true;
        const EncoderDecoderNetwork trains(spec, parameters, options);
        const at::Tensor first = trains.decoded(batch);
        QVERIFY(!at::allclose(first, without));
        QVERIFY(!at::allclose(first, trains.decoded(batch)));
    }

    void refusesAMissingLength()
    {
        const EncoderDecoderSpec spec = tinyT5();
        const FlatParameters parameters = randomParameters(spec);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                                 EncoderDecoderNetwork(spec, parameters, optionsOf(length, 0)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                                 EncoderDecoderNetwork(spec, parameters, optionsOf(0, targetLength)));
    }
};

BATCHPEAK_TEST(EncoderDecoderNetworkTest)
#include "tst_encoder_decoder_network.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <torch/csrc/jit/api/module.h>

#include "network/kernels/attention.h"
#include "network_comparison.h"
#include "sample_rows.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;
using model::Attention;

namespace {

constexpr std::int64_t length = 12;
constexpr std::int64_t shorter = 7;

double lossOf(const Network& network, const Batch& batch)
{
    const at::NoGradGuard noGradients;
    return network.loss(batch, 1.0).item<double>();
}

/// Returns the network in evaluation, with weights so large that attention differs from a mean.
const Network& evaluated(const TinyTraining& training)
{
    at::manual_seed(13);
    for (const auto& segment : training.parameters.segments())
        at::Tensor(segment.values).normal_(0.0, 0.4);
    training.network->setTrains(false);
    return *training.network;
}

at::Tensor paddingOf(const at::Tensor& twoSamples)
{
    return twoSamples.select(0, 1).slice(0, shorter);
}

/// Returns two samples, the second of which is padded. The loss ignores the padding.
Batch paddedBatch(const Network& network, bool hasMask)
{
    Batch batch = network.makeBatch(2, length);
    // Removes mask tokens (66): ESM scales embeddings by their share in a sample, padding included.
    batch.inputs.front().masked_fill_(batch.inputs.front().eq(66), 1);
    if (batch.targets.size(1) == length) {
        // Encoders predict few tokens, and perhaps none outside the padding.
        batch.targets.select(0, 1).fill_(3);
        paddingOf(batch.targets).fill_(ignoredTarget);
    }
    if (hasMask) {
        batch.attentionMask = at::ones({2, length}, at::kBool);
        paddingOf(batch.attentionMask).fill_(false);
    }
    return batch;
}

/// Returns the second sample without its padding.
Batch shorterSampleOf(const Batch& batch)
{
    Batch alone = batch.slice(1, 1);
    alone.attentionMask = at::Tensor();
    for (at::Tensor& input : alone.inputs) {
        if (input.size(1) == length)
            input = input.slice(1, 0, shorter);
    }
    if (alone.targets.size(1) == length)
        alone.targets = alone.targets.slice(1, 0, shorter);
    return alone;
}

model::DecoderSpec withWindow(model::DecoderSpec spec, std::int64_t window)
{
    spec.attentionWindow = window;
    return spec;
}

AttentionInputs someInputs()
{
    const at::Tensor heads = at::ones({2, 2, 8, 8});
    return {.query = heads, .key = heads, .value = heads};
}

} // namespace

/// Tests the masks of attention and the choice of its kernel.
class AttentionTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { prepareLibtorch(); }
    void cleanup() { preferAttention(Attention::Automatic, at::kCPU); }

    void leavesPaddingOut_data()
    {
        rows<model::Architecture>({{"GPT", tinyGpt()},
                                   {"LLaMA, which shares keys", tinyLlama()},
                                   {"BLOOM, by distance", tinyBloom()},
                                   // In the padding, windows shorter than it contain nothing else.
                                   {"Gemma 2, within windows and capped", withWindow(tinyGemma2(), 3)},
                                   {"Cohere 2, within windows", withWindow(tinyCohere2(), 3)},
                                   {"BERT", tinyBert()},
                                   {"ESM", tinyEsm()},
                                   {"T5", tinyT5()}});
    }
    void leavesPaddingOut()
    {
        const TinyTraining training(row<model::Architecture>());
        const Network& network = evaluated(training);
        QVERIFY(network.takesAttentionMask());
        const Batch batch = paddedBatch(network, true);
        const double loss = lossOf(network, batch);
        Batch otherwisePadded = batch;
        otherwisePadded.inputs.front() = batch.inputs.front().clone();
        paddingOf(otherwisePadded.inputs.front()).fill_(5);
        QVERIFY(std::abs(lossOf(network, otherwisePadded) - loss) < 1e-5 * loss);
        const double sumOfLosses =
            lossOf(network, batch.slice(0, 1)) + lossOf(network, shorterSampleOf(batch));
        QVERIFY2(std::abs(sumOfLosses - loss) < 1e-5 * loss,
                 qPrintable(QStringLiteral("%1 and %2").arg(sumOfLosses).arg(loss)));
    }

    // Shows that leavesPaddingOut() can fail.
    void attendsToPaddingWithoutAMask()
    {
        const TinyTraining training(tinyBert());
        const Network& network = evaluated(training);
        Batch batch = paddedBatch(network, false);
        const double loss = lossOf(network, batch);
        paddingOf(batch.inputs.front()).fill_(5);
        const double otherwise = lossOf(network, batch);
        QVERIFY2(std::abs(otherwise - loss) > 5e-5 * loss,
                 qPrintable(QStringLiteral("%1 and %2").arg(otherwise).arg(loss)));
    }

    // CPUs have two kernels: flash and math.
    void prefersTheRequestedKernel_data()
    {
        rows<Attention, Attention>({{"PyTorch's choice", {Attention::Automatic, Attention::Flash}},
                                    {"flash", {Attention::Flash, Attention::Flash}},
                                    {"products", {Attention::Math, Attention::Math}},
                                    {"one of GPUs", {Attention::Cudnn, Attention::Flash}}});
    }
    void prefersTheRequestedKernel()
    {
        const auto& [asked, ran] = row<Attention, Attention>();
        preferAttention(asked, at::kCPU);
        QVERIFY(attentionKernel(someInputs()) == ran);
    }

    void capsScoresOnlyWithPlainProducts()
    {
        preferAttention(Attention::Flash, at::kCPU);
        const TinyTraining training(tinyGemma2());
        lossOf(*training.network, training.network->makeBatch(2, length));
        QVERIFY(training.network->attentionKernel() == Attention::Math);
    }

    void remembersTheKernelThatRan()
    {
        const TinyTraining training(tinyGpt());
        Network& network = *training.network;
        QVERIFY(!network.attentionKernel());
        lossOf(network, network.makeBatch(2, length));
        QVERIFY(network.attentionKernel() == Attention::Flash);
        network.forgetAttention();
        preferAttention(Attention::Math, at::kCPU);
        lossOf(network, network.makeBatch(2, length));
        QVERIFY(network.attentionKernel() == Attention::Math);
    }
};

BATCHPEAK_TEST(AttentionTest)
#include "tst_attention.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before Qt, whose keyword "slots" libtorch uses as a name.
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

/// With weights that make attention more than a mean.
const Network& evaluated(const TinyTraining& training)
{
    at::manual_seed(13);
    for (const auto& segment : training.parameters.segments())
        at::Tensor(segment.values).normal_(0.0, 0.4);
    training.network->setTrains(false);
    return *training.network;
}

at::Tensor behindTheShorter(const at::Tensor& ofTwoSamples)
{
    return ofTwoSamples.select(0, 1).slice(0, shorter);
}

/// Of two samples, the second of which is padded; nothing is to be said of padding.
Batch paddedBatch(const Network& network, bool hasMask)
{
    Batch batch = network.makeBatch(2, length);
    // The share of these in a sample scales what ESM embeds.
    batch.inputs.front().masked_fill_(batch.inputs.front().eq(66), 1);
    if (batch.targets.size(1) == length) {
        // Encoders predict few tokens, and perhaps none of those that are there.
        batch.targets.select(0, 1).fill_(3);
        behindTheShorter(batch.targets).fill_(ignoredTarget);
    }
    if (hasMask) {
        batch.attentionMask = at::ones({2, length}, at::kBool);
        behindTheShorter(batch.attentionMask).fill_(false);
    }
    return batch;
}

/// Its second sample, without its padding.
Batch shorterAlone(const Batch& batch)
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

/// Tests what attention masks, and which kernel computes it.
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
                                   // Of windows shorter than the padding, in which there is nothing else.
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
        behindTheShorter(otherwisePadded.inputs.front()).fill_(5);
        QVERIFY(std::abs(lossOf(network, otherwisePadded) - loss) < 1e-5 * loss);
        const double ofParts = lossOf(network, batch.slice(0, 1)) + lossOf(network, shorterAlone(batch));
        QVERIFY2(std::abs(ofParts - loss) < 1e-5 * loss,
                 qPrintable(QStringLiteral("%1 and %2").arg(ofParts).arg(loss)));
    }

    // Else the test above would prove nothing.
    void attendsToPaddingWithoutAMask()
    {
        const TinyTraining training(tinyBert());
        const Network& network = evaluated(training);
        Batch batch = paddedBatch(network, false);
        const double loss = lossOf(network, batch);
        behindTheShorter(batch.inputs.front()).fill_(5);
        const double otherwise = lossOf(network, batch);
        QVERIFY2(std::abs(otherwise - loss) > 5e-5 * loss,
                 qPrintable(QStringLiteral("%1 and %2").arg(otherwise).arg(loss)));
    }

    // A processor has two of them.
    void prefersTheKernelThatWasAskedFor_data()
    {
        rows<Attention, Attention>({{"PyTorch's choice", {Attention::Automatic, Attention::Flash}},
                                    {"flash", {Attention::Flash, Attention::Flash}},
                                    {"products", {Attention::Math, Attention::Math}},
                                    {"one of GPUs", {Attention::Cudnn, Attention::Flash}}});
    }
    void prefersTheKernelThatWasAskedFor()
    {
        const auto& [asked, ran] = row<Attention, Attention>();
        preferAttention(asked, at::kCPU);
        QVERIFY(attentionKernel(someInputs()) == ran);
    }

    void capsByPlainProductsAlone()
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

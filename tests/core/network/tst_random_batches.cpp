// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/budget_allocator.h"
#include "network/random_batches.h"
#include "support/test_main.h"

#include <ATen/ATen.h>

#include <QTest>

using namespace batchpeak::network;

namespace {

/// Network whose batches contain the numbers of their samples, so that a test can follow them.
class CountingNetwork : public Network
{
public:
    explicit CountingNetwork(bool masks = false) : Network({}), m_masks(masks) {}

    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override
    {
        const at::Tensor numbers = at::arange(samples).unsqueeze(1).expand({samples, sequenceLength});
        return {.inputs = {numbers.clone()},
                .targets = numbers.add(100),
                .countedTargets = samples * sequenceLength};
    }
    std::int64_t tokensPerRow() const override { return 0; }
    std::int64_t vocabularySize() const override { return 0; }
    Batch batchOf(std::span<const SampleRow>) const override { return {}; }
    std::int64_t countedTargets(std::span<const SampleRow>) const override { return 0; }
    at::Tensor loss(const Batch&, double) const override { return {}; }
    bool takesAttentionMask() const override { return m_masks; }

private:
    bool m_masks;
};

} // namespace

class RandomBatchesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { BudgetAllocator::installed(); }

    void usesTheMaximumIfLengthsAreUnknown()
    {
        RandomBatches batches(12, {}, 1);
        batches.make(CountingNetwork(), 5);
        QCOMPARE(batches.cycle().size(), std::size_t{1});
        QCOMPARE(batches.cycle().front().targets.size(1), 12);
        QVERIFY(!batches.longest());
    }

    void padsToTheLongestSample()
    {
        const std::vector<std::int64_t> lengths{2, 3, 4, 5, 40};
        RandomBatches batches(12, lengths, 1);
        batches.make(CountingNetwork(), 1);
        QCOMPARE(batches.cycle().size(), RandomBatches::perStep(lengths));
        double sumForOneSample = 0;
        for (const Batch& batch : batches.cycle()) {
            const std::int64_t length = batch.targets.size(1);
            QVERIFY(length == 12 || (length >= 2 && length <= 5));
            sumForOneSample += static_cast<double>(length);
        }
        batches.make(CountingNetwork(), 64);
        double sumForManySamples = 0;
        for (const Batch& batch : batches.cycle())
            sumForManySamples += static_cast<double>(batch.targets.size(1));
        QVERIFY(sumForManySamples > sumForOneSample);
        QVERIFY(batches.longest());
        QCOMPARE(batches.longest()->targets.size(1), 12);
    }

    void masksPadding()
    {
        RandomBatches batches(12, {2, 5, 40}, 1);
        batches.make(CountingNetwork(true), 64);
        for (const Batch& batch : batches.cycle()) {
            QCOMPARE(batch.attentionMask.sizes(), at::IntArrayRef({64, 12}));
            const at::Tensor lengths = batch.attentionMask.sum(1);
            QVERIFY(lengths.eq(2).logical_or(lengths.eq(5)).logical_or(lengths.eq(12)).all().item<bool>());
            // Padding is at the end.
            QVERIFY(at::equal(std::get<0>(batch.attentionMask.sort(1, true)), batch.attentionMask));
        }
        QVERIFY(batches.longest()->attentionMask.defined());
        // A single sample needs no padding.
        batches.make(CountingNetwork(true), 1);
        for (const Batch& batch : batches.cycle())
            QVERIFY(!batch.attentionMask.defined());
        batches.make(CountingNetwork(false), 64);
        QVERIFY(!batches.cycle().front().attentionMask.defined());
    }

    void repeatsBatchesOfTheSameSeed()
    {
        RandomBatches first(12, {1, 5, 9}, 3);
        RandomBatches second(12, {1, 5, 9}, 3);
        first.make(CountingNetwork(), 2);
        second.make(CountingNetwork(), 2);
        for (std::size_t i = 0; i < first.cycle().size(); ++i)
            QCOMPARE(first.cycle()[i].targets.size(1), second.cycle()[i].targets.size(1));
    }

    void shufflesInputsWithTheirTargets()
    {
        RandomBatches batches(3, {}, 1);
        batches.make(CountingNetwork(), 50);
        const Batch& batch = batches.cycle().front();
        const void* memory = batch.inputs.front().data_ptr();
        const at::Tensor before = batch.inputs.front().clone();
        batches.shuffle();
        QCOMPARE(batch.inputs.front().data_ptr(), memory);
        QVERIFY(!at::equal(batch.inputs.front(), before));
        QVERIFY(at::equal(std::get<0>(batch.inputs.front().sort(0)), before));
        QVERIFY(at::equal(batch.targets, batch.inputs.front().add(100)));
    }
};

BATCHPEAK_TEST(RandomBatchesTest)
#include "tst_random_batches.moc"

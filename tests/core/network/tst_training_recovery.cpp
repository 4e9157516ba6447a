// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "allocation_sites.h"
#include "network/budget_allocator.h"
#include "network/cpu_device_memory.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training_support.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

namespace {

constexpr std::int64_t batchSize = 4;
constexpr std::int64_t microBatchSize = 2;

// Returns a load of this network, with dropout if its family has it.
LoadRequest loadOf(const char* name)
{
    const auto networks = tinyNetworks();
    const auto found = std::ranges::find(networks, QLatin1StringView(name), [](const NamedNetwork& network) {
        return QLatin1StringView(network.name);
    });
    return trainingLoad(withDropout(found->architecture));
}

LoadRequest withOneLayer(LoadRequest load)
{
    load.model.architecture = network::withOneLayer(load.model.architecture);
    return load;
}

LoadRequest withOptimizer(LoadRequest load, model::Optimizer optimizer)
{
    load.optimizer = optimizer;
    return load;
}

LoadRequest withStep(LoadRequest load, const model::StepOptions& step)
{
    load.step = step;
    return load;
}

/// Returns the allocation sites of the second batch: in the first, libraries allocate memory that they keep.
std::vector<AllocationSites::Site> sitesOfSecondBatch(const LoadRequest& load, DeviceMemory& memory)
{
    TrainingRunner runner(load, syntheticTraining(), memory);
    lossesOf(runner, 0, 1, batchSize, microBatchSize);
    const AllocationSites batch;
    lossesOf(runner, 1, 1, batchSize, microBatchSize);
    return batch.sites();
}

} // namespace

class TrainingRecoveryTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

    static void addLoads()
    {
        const auto add = rows<LoadRequest>();
        const auto addLoad = [&add](const char* name, const LoadRequest& load) {
            add(name, withOneLayer(load));
        };
        const LoadRequest gpt = loadOf("GPT");
        addLoad("GPT", gpt);
        addLoad("GPT, SGD, clipping",
                withStep(withOptimizer(gpt, model::Optimizer::Sgd), {.maxGradientNorm = 0.1}));
        addLoad("GPT, decoupled AdamW", withStep(gpt, {.adamWStep = model::AdamWStep::Decoupled}));
        addLoad("GPT, unfused AdamW", withStep(gpt, {.adamWStep = model::AdamWStep::Operations}));
        addLoad("GPT, SGD without momentum",
                withStep(withOptimizer(gpt, model::Optimizer::Sgd), {.keepsMomentum = false}));
        addLoad("GPT, checkpointing, loss in chunks, clipping",
                withStep(gpt, {.activationCheckpointing = true, .lossChunkRows = 7, .maxGradientNorm = 0.1}));
        LoadRequest llama = withStep(loadOf("LLaMA"), {.maxGradientNorm = 0.1});
        addLoad("LLaMA, clipping", llama);
        llama.precision = model::Precision::PureBf16;
        addLoad("LLaMA, pure bf16, clipping", llama);
        addLoad("BERT", loadOf("BERT, all heads"));
        addLoad("T5, SGD", withOptimizer(loadOf("T5"), model::Optimizer::Sgd));
        addLoad("ViT, clipping", withStep(loadOf("ViT"), {.maxGradientNorm = 0.1}));
        addLoad(
            "LLaMA, Adafactor, clipping",
            withStep(withOptimizer(loadOf("LLaMA"), model::Optimizer::Adafactor), {.maxGradientNorm = 0.1}));
        llama.precision = model::Precision::PlainBf16;
        addLoad("LLaMA, plain bf16, Adafactor", withOptimizer(llama, model::Optimizer::Adafactor));
        addLoad("LLaMA, plain bf16, Lion", withOptimizer(llama, model::Optimizer::Lion));
        addLoad("LLaMA, plain bf16, 32-bit AdamW", withOptimizer(llama, model::Optimizer::AdamW32bit));
        const LoadRequest resNet = loadOf("ResNet");
        addLoad("ResNet", resNet);
        addLoad("ResNet, SGD, clipping, checkpointing",
                withStep(withOptimizer(resNet, model::Optimizer::Sgd),
                         {.activationCheckpointing = true, .maxGradientNorm = 0.1}));
    }

private slots:
    void cleanup()
    {
        BudgetAllocator::installed().failAllocation(0);
        m_memory.setLimit(0);
        m_memory.emptyCache();
        QCOMPARE(m_memory.allocatedBytes(), 0);
    }

    // The second batch fails in forward, in backward and in the optimizer step: failingAllocations() lets
    // each allocation site fail once, in the first row that reaches it. The run must end in the same bits as
    // an undisturbed one.
    void leavesNoTraceOfAnyFailure_data() { addLoads(); }
    void leavesNoTraceOfAnyFailure()
    {
        const auto& load = row<LoadRequest>();
        const std::vector<AllocationSites::Site> sites = sitesOfSecondBatch(load, m_memory);
        const std::vector<std::int64_t> numbers = failingAllocations(sites);
        const trial::BatchRequest batch = batchOfStep(1, batchSize, microBatchSize);
        std::vector<double> losses;
        QByteArray state;
        {
            TrainingRunner runner(load, syntheticTraining(), m_memory);
            losses = lossesOf(runner, 0, 1, batchSize, microBatchSize);
            for (const std::int64_t number : numbers) {
                BudgetAllocator::installed().failAllocation(number);
                const auto failure = failureOf(runner, m_memory, batch, &losses);
                BudgetAllocator::installed().failAllocation(0);
                // After recovery, a batch makes as many allocations as an undisturbed one.
                QCOMPARE(failure.has_value(), number != numbers.back());
                if (!failure)
                    break;
                QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
                QVERIFY(runner.recover());
                QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
            }
            losses.push_back(runner.run(batchOfStep(2, batchSize, microBatchSize)).loss);
            state = stateOf(runner);
        }
        QVERIFY(sites.size() > 100);
        qInfo("%zu failures left no trace, of %zu allocations", numbers.size() - 1, sites.size());
        TrainingRunner undisturbed(load, syntheticTraining(), m_memory);
        QCOMPARE(losses, lossesOf(undisturbed, 0, 3, batchSize, microBatchSize));
        QVERIFY(state == stateOf(undisturbed));
    }

    // No failure in the optimizer step changes parameters or the optimizer's state.
    void keepsTheStateOnFailure_data() { addLoads(); }
    void keepsTheStateOnFailure()
    {
        const auto& load = row<LoadRequest>();
        TrainingRunner runner(load, syntheticTraining(), m_memory);
        lossesOf(runner, 0, 2, batchSize, microBatchSize);
        const QByteArray before = stateOf(runner);
        const trial::BatchRequest batch = batchOfStep(2, batchSize, microBatchSize);
        // The last allocations of a step are those of the optimizer.
        for (std::int64_t number = 1;; number += 1 + number / 8) {
            BudgetAllocator::installed().failAllocation(number);
            const auto failure = failureOf(runner, m_memory, batch);
            BudgetAllocator::installed().failAllocation(0);
            if (!failure)
                break;
            QVERIFY(runner.recover());
            QVERIFY(stateOf(runner) == before);
        }
        QVERIFY(stateOf(runner) != before);
    }

    void halvesAsIfStartedWithTheSmallSize()
    {
        const LoadRequest load = loadOf("GPT");
        std::int64_t limit = 0;
        {
            TrainingRunner runner(load, syntheticTraining(), m_memory);
            runner.run(batchOfStep(0, 8, 8));
            limit = m_memory.peakReservedBytes() - 1;
        }
        std::vector<double> halved;
        QByteArray state;
        {
            TrainingRunner runner(load, syntheticTraining(), m_memory);
            m_memory.setLimit(limit);
            const auto failure = failureOf(runner, m_memory, batchOfStep(0, 8, 8));
            QVERIFY(failure);
            QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
            QCOMPARE(failure->neededBytes, limit + 1);
            QVERIFY(runner.recover());
            halved = lossesOf(runner, 0, 5, 8, 4);
            state = stateOf(runner);
            m_memory.setLimit(0);
        }
        TrainingRunner small(load, syntheticTraining(), m_memory);
        QCOMPARE(halved, lossesOf(small, 0, 5, 8, 4));
        QVERIFY(state == stateOf(small));
    }

    // All memory is in use, so recovery must not need any.
    void recoversWithoutFreeMemory()
    {
        TrainingRunner runner(loadOf("GPT"), syntheticTraining(), m_memory);
        const QByteArray before = stateOf(runner);
        m_memory.setLimit(runner.baselineBytes());
        const auto failure = failureOf(runner, m_memory, batchOfStep(0, 4, 1));
        QVERIFY(failure);
        QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
        QVERIFY(runner.recover());
        m_memory.setLimit(0);
        QVERIFY(stateOf(runner) == before);
    }

    void leavesNoTraceOfACancellation()
    {
        TrainingRunner runner(loadOf("GPT"), syntheticTraining(), m_memory);
        runner.run(batchOfStep(0, batchSize, microBatchSize));
        const QByteArray before = stateOf(runner);
        int asked = 0;
        int stopAt = 0;
        runner.setCancelled([&] { return ++asked == stopAt; });
        // Each of two micro-batches asks six times: before two layers and the output, forward and backward.
        for (stopAt = 1; stopAt <= 12; ++stopAt) {
            asked = 0;
            QVERIFY_THROWS_EXCEPTION(Cancelled, runner.run(batchOfStep(1, batchSize, microBatchSize)));
            QCOMPARE(asked, stopAt);
            QVERIFY(runner.recover());
            QVERIFY(stateOf(runner) == before);
        }
        asked = 0;
        runner.run(batchOfStep(1, batchSize, microBatchSize));
        QCOMPARE(asked, 12);
    }

    // After a failed evaluation, training must continue in training mode.
    void continuesTrainingAfterAFailedEvaluation()
    {
        const LoadRequest load = loadOf("GPT");
        trial::BatchRequest evaluation = batchOfStep(0, batchSize, batchSize);
        evaluation.phase = model::Phase::Eval;
        TrainingRunner runner(load, syntheticTraining(), m_memory);
        BudgetAllocator::installed().failAllocation(20);
        QVERIFY(failureOf(runner, m_memory, evaluation));
        QVERIFY(runner.recover());
        const std::vector<double> losses = lossesOf(runner, 0, 3, batchSize, microBatchSize);
        TrainingRunner undisturbed(load, syntheticTraining(), m_memory);
        QCOMPARE(losses, lossesOf(undisturbed, 0, 3, batchSize, microBatchSize));
    }
};

BATCHPEAK_TEST(TrainingRecoveryTest)
#include "tst_training_recovery.moc"

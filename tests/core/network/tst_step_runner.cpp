// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "network/budget_allocator.h"
#include "network/cpu_device_memory.h"
#include "network/failure.h"
#include "network/networks/network_factory.h"
#include "network/step_runner.h"
#include "step_requests.h"
#include "step_runs.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <ATen/Context.h>

#include <QTest>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;

class StepRunnerTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

private slots:
    void appliesBackendSettings_data()
    {
        struct Ways
        {
            model::Precision precision = model::Precision::Fp32;
            model::StepOptions step;
            bool productsInTf32 = false;
            bool convolutionsInTf32 = true;
            bool timesConvolutions = false;
        };
        const auto add = rows<LoadRequest, bool, bool, bool>();
        const auto addWays = [&](const char* name, const Ways& ways) {
            add(name, {withStep(tinyRequest(tinyResNet(), model::Phase::Eval, ways.precision), ways.step),
                       ways.productsInTf32, ways.convolutionsInTf32, ways.timesConvolutions});
        };
        addWays("nothing said", {});
        addWays("TF32", {.precision = model::Precision::Tf32, .productsInTf32 = true});
        addWays("no TF32", {.step = {.convolvesInTf32 = false}, .convolutionsInTf32 = false});
        addWays("timed algorithms", {.step = {.timesConvolutions = true}, .timesConvolutions = true});
    }
    // Settings of torch.backends apply to the whole process.
    void appliesBackendSettings()
    {
        const auto& [request, products, convolutions, times] = row<LoadRequest, bool, bool, bool>();
        const StepRunner runner(request, m_memory);
        QCOMPARE(at::globalContext().allowTF32CuBLAS(), products);
        QCOMPARE(at::globalContext().allowTF32CuDNN(), convolutions);
        QCOMPARE(at::globalContext().benchmarkCuDNN(), times);
    }

    void cleanup()
    {
        BudgetAllocator::installed().failAllocation(0);
        m_memory.setLimit(0);
        m_memory.emptyCache();
        // Each test frees all its memory, so that the next one starts from the same bytes.
        QCOMPARE(m_memory.allocatedBytes(), 0);
    }

    void predictsItsBaseline_data()
    {
        addRequests();
        addSharedNetworks();
    }
    void predictsItsBaseline()
    {
        const LoadRequest& request = row<Asked>().request;
        const StepRunner runner(request, m_memory);
        QCOMPARE(requiredBaselineBytes(request), runner.baselineBytes());
        QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
        std::int64_t parameters = 0;
        for (const model::Parameter& parameter :
             model::tunedTable(networkParameters(request.model), request.tuning))
            parameters += parameter.elements();
        QCOMPARE(runner.parameters(), parameters);
    }

    void timesEveryPart_data() { addRequests(); }
    void timesEveryPart()
    {
        const LoadRequest& request = row<Asked>().request;
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        const StepChain chain = runner.run(3);
        QCOMPARE(chain.steps.size(), std::size_t{3});
        double sum = 0;
        for (const StepTimes& step : chain.steps) {
            QVERIFY(step.forwardSeconds > 0);
            QCOMPARE(step.backwardSeconds > 0, request.phase == model::Phase::Train);
            sum += step.microBatchSeconds();
        }
        QCOMPARE(chain.optimizerSeconds.has_value(), request.phase == model::Phase::Train);
        QVERIFY(!chain.optimizerSeconds || *chain.optimizerSeconds > 0);
        QVERIFY(sum + chain.optimizerSeconds.value_or(0.0) <= chain.wallSeconds);
    }

    void averagesOverVaryingLengths()
    {
        const LoadRequest request = withLengths(tinyRequest(tinyGpt(), model::Phase::Train), {1, 4, 5, 30});
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        const StepChain chain = runner.run(2);
        QCOMPARE(chain.steps.size(), std::size_t{2});
        QVERIFY(chain.microBatchesPerStep > 1);
        double sum = 0;
        for (const StepTimes& step : chain.steps)
            sum += step.microBatchSeconds();
        QVERIFY(sum > 0 && sum <= chain.wallSeconds);
    }

    // Gradients in float16 must not overflow when they are summed over a chain of steps.
    void avoidsOverflowInLongChains()
    {
        StepRunner runner(tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::PureFp16),
                          m_memory);
        runner.prepare(samples);
        constexpr int enoughToSettle = 20;
        for (int step = 0; step < enoughToSettle && runner.run(1).lacksStep; ++step)
            continue;
        const double loss = runner.loss();
        QVERIFY(!runner.run(1).lacksStep);
        QVERIFY(!runner.run(64).lacksStep);
        QVERIFY(std::abs(runner.loss() / loss - 1.0) < 0.1);
    }

    // The longest sample determines the memory, even if all others are short.
    void needsTheMemoryOfTheLongestSample()
    {
        const LoadRequest worst = tinyRequest(tinyGpt(), model::Phase::Train);
        const auto peakOf = [&](const LoadRequest& request) {
            StepRunner runner(request, m_memory);
            runner.prepare(samples);
            m_memory.resetPeaks();
            runner.run(1);
            return m_memory.peakReservedBytes();
        };
        const std::int64_t peak = peakOf(worst);
        QVERIFY(peakOf(withLengths(worst, {1})) >= peak);
    }

    void fitsIntoItsPeakAndNotIntoOneByteLess_data() { addRequests(); }
    void fitsIntoItsPeakAndNotIntoOneByteLess()
    {
        const LoadRequest& request = row<Asked>().request;
        // Always the second step of a new runner: in the first, libraries may allocate memory once, and with
        // experts, later steps have other sizes, because the weights decide which experts a token uses.
        const auto secondStep = [&](std::int64_t limit) {
            m_memory.setLimit(0);
            StepRunner runner(request, m_memory);
            runner.prepare(samples);
            runner.run(1);
            m_memory.setLimit(limit);
            m_memory.resetPeaks();
            const auto failure = failureOfStep(runner, m_memory);
            const std::int64_t peak = m_memory.peakReservedBytes();
            // With parallel branches, one waits in autograd's queue while the other fails.
            if (failure)
                runner.recover();
            return std::pair(peak, failure);
        };
        const std::int64_t peak = secondStep(0).first;
        for (int repetition = 0; repetition < 2; ++repetition) {
            QVERIFY(!secondStep(peak).second);
            const auto failure = secondStep(peak - 1).second;
            QVERIFY(failure);
            QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
            QCOMPARE(failure->neededBytes, peak);
        }
    }

    // The results are the same, except that blocks of 8 bits begin at each parameter.
    void updatesInBackwardAsAfterIt_data()
    {
        const auto add = rows<LoadRequest>();
        addUpdatesInBackward(
            [&](const char* name, const LoadRequest& request) { add(name, LoadRequest(request)); });
    }
    void updatesInBackwardAsAfterIt()
    {
        LoadRequest request = row<LoadRequest>();
        const std::vector<double> within = lossesOf(request, 5, m_memory);
        request.step.updatesInBackward = false;
        const std::vector<double> after = lossesOf(request, 5, m_memory);
        for (std::size_t i = 0; i < within.size(); ++i)
            VERIFY_BELOW(std::abs(within[i] / after[i] - 1.0), 1e-4);
        QVERIFY(within.back() < within.front());
    }

    // All implementations of AdamW have the same results.
    void updatesUnfusedAsTheFusedKernel_data()
    {
        const auto add = rows<LoadRequest>();
        addUnfused([&](const char* name, const LoadRequest& request) { add(name, LoadRequest(request)); });
        add("of masters, where it is fused",
            withStep(tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::PureBf16),
                     {.adamWStep = model::AdamWStep::Operations}));
        add("of plain bf16",
            withStep(tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::PlainBf16),
                     {.adamWStep = model::AdamWStep::Operations}));
    }
    void updatesUnfusedAsTheFusedKernel()
    {
        LoadRequest request = row<LoadRequest>();
        const double bound = model::isNarrowThroughout(request.precision) ? 1e-2 : 1e-4;
        const std::vector<double> unfused = lossesOf(request, 5, m_memory);
        request.step.adamWStep = model::AdamWStep::Fused;
        const std::vector<double> fused = lossesOf(request, 5, m_memory);
        for (std::size_t i = 0; i < unfused.size(); ++i)
            VERIFY_BELOW(std::abs(unfused[i] / fused[i] - 1.0), bound);
        QVERIFY(unfused.back() < unfused.front());
    }

    void stopsBetweenLayers_data()
    {
        const auto add = rows<LoadRequest, int>();
        // The runner asks before each of two layers and before the output, and as often in backward.
        add("train", {tinyRequest(tinyGpt(), model::Phase::Train), 6});
        add("eval", {tinyRequest(tinyLlama(), model::Phase::Eval), 3});
    }
    void stopsBetweenLayers()
    {
        const auto& [request, questions] = row<LoadRequest, int>();
        StepRunner runner(request, m_memory);
        int asked = 0;
        int stopAt = 0;
        runner.setCancelled([&] { return ++asked == stopAt; });
        runner.prepare(samples);
        runner.run(1);
        QCOMPARE(asked, questions);
        for (stopAt = 1; stopAt <= questions; ++stopAt) {
            asked = 0;
            runner.prepare(samples);
            QVERIFY_THROWS_EXCEPTION(Cancelled, runner.run(1));
            QCOMPARE(asked, stopAt);
            QVERIFY(runner.recover());
        }
    }

    void refusesImpossibleRequests_data()
    {
        const auto add = rows<LoadRequest>();
        LoadRequest request = tinyRequest(tinyGpt(), model::Phase::Train);
        request.sequenceLength = 25;
        add("more tokens than positions", request);
        request.sequenceLength = 0;
        add("no token", request);
        request = tinyRequest(tinyGpt(), model::Phase::Train);
        std::get<model::DecoderSpec>(request.model.architecture).heads = 5;
        add("heads that do not divide", request);
        add("loss scaling and updates in backward",
            withStep(tinyRequest(tinyGpt(), model::Phase::Train, model::Precision::Fp16),
                     {.updatesInBackward = true}));
        const model::StepOptions packed{.packedTextLength = 5};
        add("packed texts of an encoder", withStep(tinyRequest(tinyBert(), model::Phase::Train), packed));
        add("packed texts of an encoder and a decoder",
            withStep(tinyRequest(tinyT5(), model::Phase::Train), packed));
        add("packed images", withStep(tinyRequest(tinyVisionTransformer(), model::Phase::Eval), packed));
        add("clipping and updates in backward",
            withStep(tinyRequest(tinyGpt(), model::Phase::Train),
                     {.maxGradientNorm = 1.0, .updatesInBackward = true}));
    }
    void refusesImpossibleRequests()
    {
        const auto& request = row<LoadRequest>();
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, StepRunner(request, m_memory));
    }
};

BATCHPEAK_TEST(StepRunnerTest)
#include "tst_step_runner.moc"

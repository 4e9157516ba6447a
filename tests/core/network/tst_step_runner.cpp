// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "budget_allocator.h"
#include "cpu_device_memory.h"
#include "failure.h"
#include "parameter_table.h"
#include "step_runner.h"
#include "tiny_networks.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

namespace {

constexpr std::int64_t samples = 3;

LoadRequest withOptimizer(LoadRequest request, model::Optimizer optimizer)
{
    request.optimizer = optimizer;
    return request;
}

LoadRequest withDropout(LoadRequest request)
{
    auto& decoder = std::get<model::DecoderSpec>(request.model.architecture);
    decoder.dropout = 0.2;
    decoder.attentionDropout = 0.2;
    return request;
}

// Runs one step as a worker does: what it throws is judged inside the catch block, and recovered from
// outside it.
std::optional<Failure> failureOfStep(StepRunner& runner, const DeviceMemory& memory)
{
    const std::int64_t before = memory.outOfMemoryCount();
    try {
        runner.prepare(samples);
        runner.run(1);
    } catch (const std::exception& error) {
        return classifyFailure(error, memory, before);
    }
    return std::nullopt;
}

std::vector<double> lossesOf(const LoadRequest& request, int steps, DeviceMemory& memory)
{
    StepRunner runner(request, memory);
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        runner.prepare(samples);
        runner.run(1);
        losses.push_back(runner.loss());
    }
    return losses;
}

} // namespace

class StepRunnerTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

    static void addRequests()
    {
        QTest::addColumn<LoadRequest>("request");
        const auto gptTrain = tinyRequest(tinyGpt(), model::Phase::Train);
        const auto llamaTrain = tinyRequest(tinyLlama(), model::Phase::Train);
        QTest::newRow("GPT, train") << gptTrain;
        QTest::newRow("GPT, train, SGD") << withOptimizer(gptTrain, model::Optimizer::Sgd);
        QTest::newRow("GPT, train, dropout") << withDropout(gptTrain);
        QTest::newRow("GPT, eval") << tinyRequest(tinyGpt(), model::Phase::Eval);
        QTest::newRow("LLaMA, train") << llamaTrain;
        QTest::newRow("LLaMA, train, bf16")
            << tinyRequest(tinyLlama(), model::Phase::Train, model::Precision::Bf16);
        QTest::newRow("LLaMA, eval") << tinyRequest(tinyLlama(), model::Phase::Eval);
    }

private slots:
    void cleanup()
    {
        BudgetAllocator::installed().failAllocation(0);
        m_memory.setLimit(0);
        m_memory.emptyCache();
        // Whatever a test made is gone with it: a later one starts from the same bytes.
        QCOMPARE(m_memory.allocatedBytes(), 0);
    }

    void predictsItsBaseline_data() { addRequests(); }
    void predictsItsBaseline()
    {
        QFETCH(LoadRequest, request);
        const StepRunner runner(request, m_memory);
        QCOMPARE(requiredBaselineBytes(request), runner.baselineBytes());
        QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
        QCOMPARE(runner.parameters(), model::parameterCount(request.model));
    }

    void timesEveryPart_data() { addRequests(); }
    void timesEveryPart()
    {
        QFETCH(LoadRequest, request);
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        const StepChain chain = runner.run(3);
        QCOMPARE(chain.steps.size(), std::size_t{3});
        double sum = 0;
        for (const StepTimes& step : chain.steps) {
            QVERIFY(step.forwardSeconds > 0);
            QCOMPARE(step.backwardSeconds > 0, request.phase == model::Phase::Train);
            QCOMPARE(step.optimizerSeconds > 0, request.phase == model::Phase::Train);
            sum += step.forwardSeconds + step.backwardSeconds + step.optimizerSeconds;
        }
        QVERIFY(sum <= chain.wallSeconds);
    }

    void learns_data() { addRequests(); }
    void learns()
    {
        QFETCH(LoadRequest, request);
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        runner.run(1);
        const double first = runner.loss();
        // Untrained, every token is about equally probable.
        QVERIFY2(std::abs(first - std::log(67.0)) < 0.3, qPrintable(QString::number(first)));
        runner.run(40);
        const double last = runner.loss();
        QVERIFY(std::isfinite(last));
        if (request.phase == model::Phase::Eval)
            QCOMPARE(last, first);
        else
            QVERIFY2(last < first - 0.01, qPrintable(QString::number(last)));
    }

    void fitsIntoItsPeakAndNotIntoOneByteLess_data() { addRequests(); }
    void fitsIntoItsPeakAndNotIntoOneByteLess()
    {
        QFETCH(LoadRequest, request);
        StepRunner runner(request, m_memory);
        runner.prepare(samples);
        // The first step may hold what libraries make once.
        runner.run(1);
        m_memory.resetPeaks();
        runner.run(1);
        const std::int64_t peak = m_memory.peakReservedBytes();
        QVERIFY(peak > runner.baselineBytes());
        for (int repetition = 0; repetition < 3; ++repetition) {
            m_memory.setLimit(peak);
            QVERIFY(!failureOfStep(runner, m_memory));
            m_memory.setLimit(peak - 1);
            const auto failure = failureOfStep(runner, m_memory);
            QVERIFY(failure);
            QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
            QCOMPARE(failure->neededBytes, peak);
            QVERIFY(runner.recover());
        }
    }

    // Freed blocks of one size must not keep those of another from fitting.
    void fitsWhateverTheCacheHolds()
    {
        StepRunner runner(tinyRequest(tinyGpt(), model::Phase::Train), m_memory);
        const auto peakOf = [&](std::int64_t size) {
            runner.prepare(size);
            m_memory.resetPeaks();
            runner.run(1);
            return m_memory.peakReservedBytes();
        };
        const std::int64_t peak = peakOf(400);
        peakOf(390);
        QVERIFY(BudgetAllocator::installed().counters().cached > 0);
        m_memory.setLimit(peak);
        peakOf(400);
        peakOf(395);
        QCOMPARE(peakOf(400), peak);
    }

    void recoversFromEveryAllocation_data() { addRequests(); }
    void recoversFromEveryAllocation()
    {
        QFETCH(LoadRequest, request);
        // More steps than any of these networks has allocations in a step.
        const std::vector<double> undisturbed = lossesOf(request, 350, m_memory);
        StepRunner runner(request, m_memory);
        std::size_t failures = 0;
        while (true) {
            QVERIFY(failures < undisturbed.size());
            BudgetAllocator::installed().failAllocation(static_cast<std::int64_t>(failures) + 1);
            const auto failure = failureOfStep(runner, m_memory);
            BudgetAllocator::installed().failAllocation(0);
            if (!failure)
                break;
            QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
            QVERIFY(!failure->sticky);
            QVERIFY(runner.recover());
            QCOMPARE(m_memory.allocatedBytes(), runner.baselineBytes());
            QVERIFY(!failureOfStep(runner, m_memory));
            QCOMPARE(runner.loss(), undisturbed[failures]);
            ++failures;
        }
        QCOMPARE(runner.loss(), undisturbed[failures]);
        QVERIFY(failures > 20);
        qInfo("%zu of %zu failures recovered from", failures, failures);
    }

    void stopsBetweenLayers_data()
    {
        QTest::addColumn<LoadRequest>("request");
        QTest::addColumn<int>("questions");
        // Before each of two layers, and before the output; backward as many again.
        QTest::newRow("train") << tinyRequest(tinyGpt(), model::Phase::Train) << 6;
        QTest::newRow("eval") << tinyRequest(tinyLlama(), model::Phase::Eval) << 3;
    }
    void stopsBetweenLayers()
    {
        QFETCH(LoadRequest, request);
        QFETCH(int, questions);
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

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<LoadRequest>("request");
        LoadRequest request = tinyRequest(tinyGpt(), model::Phase::Train);
        request.sequenceLength = 25;
        QTest::newRow("more tokens than positions") << request;
        request.sequenceLength = 0;
        QTest::newRow("no token") << request;
        request = tinyRequest(tinyGpt(), model::Phase::Train);
        std::get<model::DecoderSpec>(request.model.architecture).heads = 5;
        QTest::newRow("heads that do not divide") << request;
    }
    void refusesWhatCannotBe()
    {
        QFETCH(LoadRequest, request);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, StepRunner(request, m_memory));
    }
};

QTEST_APPLESS_MAIN(StepRunnerTest)
#include "tst_step_runner.moc"

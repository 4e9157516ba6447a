// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu_requests.h"
#include "gpu_suite.h"
#include "network/step_runner.h"
#include "support/rows.h"

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

/// Tests that events on the device measure the same time as a wall clock. It is the only test that asserts a
/// ratio of times: it has its own command, and both times are of the same steps.
class GpuTimingTest : public test::GpuSuite
{
    Q_OBJECT

public:
    using GpuSuite::GpuSuite;

private slots:
    void accountsForTheWholeWallTime_data() { test::addRows(test::everyTraining(model::Precision::Bf16)); }
    void accountsForTheWholeWallTime()
    {
        StepRunner runner(row<LoadRequest>(), memory());
        runner.prepare(64);
        runner.run(3);
        const StepChain chain = runner.run(20);
        QCOMPARE(chain.steps.size(), std::size_t{20});
        double sum = 0;
        for (const StepTimes& step : chain.steps) {
            QVERIFY(step.forwardSeconds > 0 && step.backwardSeconds > 0);
            sum += step.microBatchSeconds();
        }
        QVERIFY(chain.optimizerSeconds && *chain.optimizerSeconds > 0);
        sum += *chain.optimizerSeconds;
        // The sum is the time of the chain without its first launch and its final synchronization.
        QVERIFY(sum <= chain.wallSeconds);
        QVERIFY2(sum >= 0.8 * chain.wallSeconds, qPrintable(QString::number(sum / chain.wallSeconds)));
    }

    void reportsNoBackwardOrOptimizerInEvaluation()
    {
        for (const test::NamedRequest& request : test::everyGpuRequest()) {
            if (request.load.phase != model::Phase::Eval)
                continue;
            StepRunner runner(request.load, memory());
            runner.prepare(4);
            const StepChain chain = runner.run(3);
            QVERIFY(!chain.optimizerSeconds);
            for (const StepTimes& step : chain.steps) {
                QVERIFY2(step.forwardSeconds > 0, request.name.c_str());
                QCOMPARE(step.backwardSeconds, 0.0);
            }
        }
    }
};

int main(int argc, char** argv)
{
    return test::runOnGpu<GpuTimingTest>(argc, argv);
}
#include "tst_gpu_timing.moc"

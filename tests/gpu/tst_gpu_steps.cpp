// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include "tiny_scripts.h"

#include "gpu_requests.h"
#include "gpu_suite.h"
#include "network/step_runner.h"
#include "step_requests.h"
#include "support/rows.h"

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

/// Tests that every network runs and learns on a GPU, and that its memory is counted.
class GpuStepsTest : public test::GpuSuite
{
    Q_OBJECT

public:
    using GpuSuite::GpuSuite;

private slots:
    void runsEveryNetwork_data() { test::addRows(test::everyGpuRequest()); }
    void runsEveryNetwork()
    {
        const auto& load = row<LoadRequest>();
        StepRunner runner(load, memory());
        QVERIFY(runner.baselineBytes() >= requiredBaselineBytes(load));
        runner.prepare(4);
        runner.run(1);
        const double first = runner.loss();
        QVERIFY(std::isfinite(first));
        memory().resetPeaks();
        for (int step = 0; step < 20; ++step)
            runner.run(1);
        QVERIFY(memory().peakAllocatedBytes() > runner.baselineBytes());
        QVERIFY(memory().peakReservedBytes() >= memory().peakAllocatedBytes());
        QVERIFY(!memory().spilled());
        QVERIFY(std::isfinite(runner.loss()));
        // The last step of an evaluation may use another sample than the first.
        if (load.phase == model::Phase::Train)
            QVERIFY(runner.loss() < first);
    }

    // Adapters, quantized weights, optimizers, sharding and all other options of a request.
    void runsEveryKindOfStep_data() { addRequests(); }
    void runsEveryKindOfStep()
    {
        const auto& load = row<Asked>().request;
        StepRunner runner(load, memory());
        // An optimizer that is not fused counts its steps on the host.
        constexpr std::int64_t stepCountBytes = 512;
        QVERIFY(runner.baselineBytes() + stepCountBytes >= requiredBaselineBytes(load));
        runner.prepare(4);
        memory().resetPeaks();
        for (int step = 0; step < 3; ++step)
            runner.run(2);
        QVERIFY(std::isfinite(runner.loss()));
        QVERIFY(memory().peakAllocatedBytes() > runner.baselineBytes());
        QVERIFY(!memory().spilled());
    }
};

int main(int argc, char** argv)
{
    return test::runOnGpu<GpuStepsTest>(argc, argv);
}
#include "tst_gpu_steps.moc"

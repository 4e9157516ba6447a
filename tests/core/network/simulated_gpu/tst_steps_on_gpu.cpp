// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/device_memory.h"
#include "network/libtorch.h"
#include "network/step_runner.h"
#include "support/test_main.h"
#include "tiny_networks.h"

#include <QTest>

#include <dlfcn.h>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

/// Returns the time of the simulated host's clock, from the library that is loaded in place of
/// libtorch_cuda.so.
double simulatedSeconds()
{
    static const auto seconds =
        reinterpret_cast<double (*)()>(dlsym(RTLD_DEFAULT, "batchpeak_simulated_gpu_seconds"));
    return seconds();
}

} // namespace

class StepsOnGpuTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<DeviceMemory> m_memory;

    StepChain chainOf(model::Optimizer optimizer, int steps)
    {
        trial::LoadRequest load = tinyRequest(tinyGpt(), model::Phase::Train, model::Precision::Fp32);
        load.optimizer = optimizer;
        StepRunner runner(load, *m_memory, simulatedSeconds);
        runner.prepare(1);
        runner.run(2);
        return runner.run(steps);
    }

private slots:
    void initTestCase()
    {
        const AcceleratorLibrary library = loadAcceleratorLibrary();
        QVERIFY2(library.devices == 1, library.problem.c_str());
        m_memory = openDeviceMemory({.kind = DeviceKind::Cuda});
    }

    // If the optimizer ran after each micro-batch, the host could launch the next micro-batch ahead, which
    // would hide the cost of launches.
    void timesSmallStepsAsInAccumulation()
    {
        const StepChain quick = chainOf(model::Optimizer::Sgd, 8);
        const StepChain slow = chainOf(model::Optimizer::AdamW, 8);
        QVERIFY(*slow.optimizerSeconds > 1.2 * *quick.optimizerSeconds);
        for (std::size_t step = 1; step < 8; ++step)
            QCOMPARE(slow.steps[step].microBatchSeconds(), quick.steps[step].microBatchSeconds());
    }

    // A data loader has batches on the host, and a step copies them.
    void leavesBatchesOnTheHost()
    {
        StepRunner runner(tinyRequest(tinyGpt(), model::Phase::Train, model::Precision::Fp32), *m_memory,
                          simulatedSeconds);
        runner.prepare(1000);
        QCOMPARE(m_memory->allocatedBytes(), runner.baselineBytes());
        runner.run(1);
        QCOMPARE(m_memory->allocatedBytes(), runner.baselineBytes());
    }

    void accountsForTheWholeWallTime()
    {
        const StepChain chain = chainOf(model::Optimizer::AdamW, 5);
        double sum = *chain.optimizerSeconds;
        for (const StepTimes& step : chain.steps)
            sum += step.microBatchSeconds();
        QVERIFY(sum <= chain.wallSeconds);
        QVERIFY(sum > 0.95 * chain.wallSeconds);
    }
};

BATCHPEAK_TEST(StepsOnGpuTest)
#include "tst_steps_on_gpu.moc"

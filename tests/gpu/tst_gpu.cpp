// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_memory.h"
#include "failure.h"
#include "libtorch.h"
#include "step_runner.h"
#include "tiny_networks.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <optional>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// Large enough that products, not launches, fill the time of a step.
model::DecoderSpec widened(model::DecoderSpec spec)
{
    spec.vocabularySize = 8192;
    spec.hiddenSize = 512;
    spec.heads = 8;
    spec.keyValueHeads = spec.keyValueHeads == 2 ? 2 : 8;
    spec.feedForwardSize = 1536;
    spec.layers = 4;
    spec.maxPositions = 256;
    return spec;
}

LoadRequest request(const model::DecoderSpec& spec, model::Phase phase, model::Precision precision)
{
    LoadRequest made = tinyRequest(widened(spec), phase, precision);
    made.sequenceLength = 256;
    return made;
}

} // namespace

/// What only a GPU can prove. Everything else of the network room is tested on the CPU.
class GpuTest : public QObject
{
    Q_OBJECT

public:
    explicit GpuTest(AcceleratorLibrary library) : m_library(std::move(library)) {}

private:
    AcceleratorLibrary m_library;
    std::unique_ptr<DeviceMemory> m_memory;

    static void addRequests()
    {
        QTest::addColumn<LoadRequest>("load");
        for (const auto phase : {model::Phase::Train, model::Phase::Eval}) {
            for (const auto precision :
                 {model::Precision::Fp32, model::Precision::Tf32, model::Precision::Bf16}) {
                for (const auto& spec : {tinyGpt(), tinyLlama()}) {
                    const LoadRequest load = request(spec, phase, precision);
                    const auto name = QByteArray(spec.keyValueHeads == spec.heads ? "GPT" : "LLaMA") + ", " +
                                      model::toText(phase).data() + ", " + model::toText(precision).data();
                    QTest::newRow(name.constData()) << load;
                }
            }
        }
    }

private slots:
    void initTestCase()
    {
        if (m_library.devices == 0) {
            QSKIP(m_library.problem.empty() ? "This computer has no NVIDIA GPU." : m_library.problem.c_str());
        }
        m_memory = openDeviceMemory({.kind = DeviceKind::Cuda});
        QVERIFY(m_memory->totalBytes() > 0);
        QVERIFY(m_memory->freeBytes() <= m_memory->totalBytes());
    }

    void cleanup()
    {
        if (m_memory)
            m_memory->setLimit(0);
    }

    void runsEveryNetwork_data() { addRequests(); }
    void runsEveryNetwork()
    {
        QFETCH(LoadRequest, load);
        StepRunner runner(load, *m_memory);
        QVERIFY(runner.baselineBytes() >= requiredBaselineBytes(load));
        runner.prepare(4);
        runner.run(1);
        const double first = runner.loss();
        QVERIFY(std::isfinite(first));
        m_memory->resetPeaks();
        runner.run(20);
        QVERIFY(m_memory->peakAllocatedBytes() > runner.baselineBytes());
        QVERIFY(m_memory->peakReservedBytes() >= m_memory->peakAllocatedBytes());
        QVERIFY(!m_memory->spilled());
        QCOMPARE(runner.loss() < first, load.phase == model::Phase::Train);
    }

    void recoversFromALimit_data() { addRequests(); }
    void recoversFromALimit()
    {
        QFETCH(LoadRequest, load);
        m_memory->setLimit(2048 * mebibyte);
        StepRunner runner(load, *m_memory);
        runner.prepare(2);
        runner.run(2);
        runner.prepare(2);
        runner.run(1);
        for (int repetition = 0; repetition < 3; ++repetition) {
            const std::int64_t before = m_memory->outOfMemoryCount();
            std::optional<Failure> failure;
            try {
                runner.prepare(4096);
                runner.run(1);
            } catch (const std::exception& error) {
                failure = classifyFailure(error, *m_memory, before);
            }
            QVERIFY(failure);
            QCOMPARE(failure->outcome, trial::Outcome::OutOfMemory);
            QVERIFY(!failure->sticky);
            QVERIFY(m_memory->peakReservedBytes() <= 2048 * mebibyte);
            QVERIFY(runner.recover());
            runner.prepare(2);
            runner.run(1);
            QVERIFY(std::isfinite(runner.loss()));
        }
    }

    // Events time the parts on the device; together they are the chain, but for its first launch.
    void timesPartsThatMakeUpTheWhole()
    {
        StepRunner runner(request(tinyGpt(), model::Phase::Train, model::Precision::Bf16), *m_memory);
        runner.prepare(64);
        runner.run(3);
        const StepChain chain = runner.run(20);
        double sum = 0;
        for (const StepTimes& step : chain.steps) {
            QVERIFY(step.forwardSeconds > 0 && step.backwardSeconds > 0 && step.optimizerSeconds > 0);
            sum += step.forwardSeconds + step.backwardSeconds + step.optimizerSeconds;
        }
        QVERIFY(sum <= chain.wallSeconds);
        QVERIFY(sum >= 0.8 * chain.wallSeconds);
    }
};

int main(int argc, char** argv)
{
    GpuTest test(loadAcceleratorLibrary());
    return QTest::qExec(&test, argc, argv);
}
#include "tst_gpu.moc"

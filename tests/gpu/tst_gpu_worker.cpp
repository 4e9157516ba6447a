// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include "tiny_scripts.h"

#include "device/local_device.h"
#include "gpu_requests.h"
#include "gpu_suite.h"
#include "support/rows.h"
#include "support/verify.h"
#include "tiny_networks.h"
#include "worker_talk.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

/// Returns the worker next to this program, as in the packed suite, or else the one in the build folder.
QString workerProgram()
{
    const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/batchpeak-worker");
    return QFileInfo::exists(beside) ? beside : QStringLiteral(BATCHPEAK_WORKER_PROGRAM);
}

/// The worker on one GPU, as an exploration starts it.
class WorkerOn : public GpuWorker
{
public:
    explicit WorkerOn(const device::LocalDevice& gpu)
        : GpuWorker(workerProgram(),
                    {QStringLiteral("CUDA_VISIBLE_DEVICES=") + QString::fromStdString(gpu.uuid)})
    {}
};

LoadRequest decoder(model::Phase phase = model::Phase::Train,
                    model::Precision precision = model::Precision::Bf16)
{
    LoadRequest load = test::gpuRequest(network::tinyGpt(), phase, precision);
    load.model.family = "gpt2";
    return load;
}

/// Module with embeddings of 16 words. The logits of a sample are the sum of its embeddings.
constexpr const char* sumOfWords = "def forward(self, x):\n    return torch.embedding(self.up, x).sum(1)\n";
constexpr std::int64_t classes = 12;

/// \param words  number of different words in samples
LoadRequest script(const QString& file, std::int64_t words)
{
    return {.model = {.family = "torchscript",
                      .architecture = model::ScriptSpec{.file = file.toStdString(),
                                                        .inputs = {{.shape = {4},
                                                                    .type = model::ScriptInputType::Int64,
                                                                    .upperBound = words}},
                                                        .output = model::ScriptOutput::Logits,
                                                        .classes = classes}},
            .phase = model::Phase::Train,
            .sequenceLength = 1};
}

} // namespace

/// Tests that the worker's process, as an exploration uses it, works on a GPU and recovers from failures
/// there.
class GpuWorkerTest : public QObject
{
    Q_OBJECT

    device::LocalDevice m_gpu;
    QTemporaryDir m_folder;

private slots:
    void initTestCase()
    {
        for (const device::LocalDevice& local : device::localDevices().devices) {
            if (local.kind == "cuda" && m_gpu.uuid.empty())
                m_gpu = local;
        }
        if (m_gpu.uuid.empty())
            QSKIP("This computer has no NVIDIA GPU.");
        QVERIFY(m_folder.isValid());
    }

    void usesTheGpuOfTheUuid()
    {
        WorkerOn worker(m_gpu);
        QVERIFY(worker.hello);
        QCOMPARE(worker.hello->device.uuid, m_gpu.uuid);
        QCOMPARE(worker.hello->device.name, m_gpu.name);
        QVERIFY(worker.hello->device.totalBytes > 0);
        QVERIFY(worker.hello->device.contextBytes > 0);
        const auto loaded = worker.load(decoder());
        QVERIFY(loaded);
        const TrialResult result = worker.resultOf(quickTrial(1, 4));
        QVERIFY2(result.outcome == Outcome::Ok, result.text.c_str());
        QVERIFY(result.peakReservedBytes >= loaded->baselineBytes);
        QVERIFY(!result.attention.empty());
        QVERIFY(result.readings.clockMegahertz);
        QVERIFY(result.readings.temperatureCelsius);
        QVERIFY(result.readings.processorShare);
        worker.say(Bye{});
        QCOMPARE(worker.exitCode(), 0);
    }

    void runsOutOfMemoryInItsFirstStep()
    {
        WorkerOn worker(m_gpu);
        QVERIFY(worker.hello);
        const std::int64_t limit = std::min(1024 * test::mebibyte, worker.hello->device.totalBytes / 4);
        LoadRequest load = decoder();
        load.memoryLimitBytes = limit;
        const auto loaded = worker.load(load);
        QVERIFY(loaded);
        QCOMPARE(loaded->limitBytes, limit);
        const TrialResult tooLarge = worker.resultOf(quickTrial(1, 1 << 16));
        QVERIFY2(tooLarge.outcome == Outcome::OutOfMemory, tooLarge.text.c_str());
        QVERIFY(!tooLarge.isLast);
        const TrialResult small = worker.resultOf(quickTrial(2, 2));
        QVERIFY2(small.outcome == Outcome::Ok, small.text.c_str());
        QVERIFY(small.peakReservedBytes <= limit);
    }

    void runsEveryKindOfStep_data()
    {
        LoadRequest sgd = decoder();
        sgd.optimizer = model::Optimizer::Sgd;
        LoadRequest lengths = decoder();
        lengths.sampleLengths = {3, 5, 8, 13};
        LoadRequest images =
            test::gpuRequest(network::tinyResNet(), model::Phase::Train, model::Precision::Bf16);
        images.model.family = "resnet";
        images.step.channelsLast = true;
        images.step.timesConvolutions = true;
        const auto add = rows<LoadRequest>();
        add("SGD", sgd);
        for (const auto optimizer : {model::Optimizer::AdamW32bit, model::Optimizer::Lion,
                                     model::Optimizer::Lion8bit, model::Optimizer::Adafactor}) {
            LoadRequest load = decoder();
            load.precision = model::Precision::PlainBf16;
            load.optimizer = optimizer;
            add(std::string(model::toText(optimizer)) + ", plain bf16", load);
        }
        add("samples of several lengths", lengths);
        add("channels last, algorithms timed", images);
        for (const auto attention : {model::Attention::Flash, model::Attention::MemoryEfficient,
                                     model::Attention::Cudnn, model::Attention::Math}) {
            LoadRequest load = decoder();
            load.step.attention = attention;
            add("attention by " + std::string(model::toText(attention)), load);
        }
    }
    void runsEveryKindOfStep()
    {
        WorkerOn worker(m_gpu);
        QVERIFY(worker.load(row<LoadRequest>()));
        const TrialResult result = worker.resultOf(quickTrial(1, 4));
        QVERIFY2(result.outcome == Outcome::Ok, result.text.c_str());
    }

    void runsATorchScriptFile()
    {
        const QString file = m_folder.filePath(QStringLiteral("words.pt"));
        network::saveScript(file.toStdString(), sumOfWords, classes);
        WorkerOn worker(m_gpu);
        QVERIFY(worker.load(script(file, 16)));
        const TrialResult result = worker.resultOf(quickTrial(1, 4));
        QVERIFY2(result.outcome == Outcome::Ok, result.text.c_str());
    }

    // Cancellation is also checked between layers in backward, on autograd's thread.
    void isCancelledBetweenTwoLayers()
    {
        WorkerOn worker(m_gpu);
        QVERIFY(worker.load(decoder()));
        worker.say(TrialRequest{
            .id = 1, .microBatchSize = 4, .minSteps = 100'000, .maxSteps = 100'000, .minSeconds = 1e4});
        QVERIFY(worker.hear<Step>());
        worker.say(Cancel{.id = 1});
        const auto cancelled = worker.hear<TrialResult>();
        QVERIFY(cancelled);
        QCOMPARE(toText(cancelled->outcome), toText(Outcome::Cancelled));
        const TrialResult next = worker.resultOf(quickTrial(2, 4));
        QVERIFY2(next.outcome == Outcome::Ok, next.text.c_str());
    }

    void freesItsMemoryWhenKilled()
    {
        WorkerOn first(m_gpu);
        QVERIFY(first.load(decoder()));
        QCOMPARE(toText(first.resultOf(quickTrial(1, 64)).outcome), toText(Outcome::Ok));
        first.process.kill();
        QVERIFY(first.process.waitForFinished());
        // The driver needs a moment. Each question starts a process, which takes time too.
        std::int64_t free = 0;
        for (int question = 0; question < 5 && free < first.hello->device.freeBytes / 100 * 99; ++question) {
            const WorkerOn next(m_gpu);
            QVERIFY(next.hello);
            free = next.hello->device.freeBytes;
        }
        QVERIFY2(free >= first.hello->device.freeBytes / 100 * 99, qPrintable(QString::number(free)));
    }

    void endsIfTheContextIsLost()
    {
        const QString file = m_folder.filePath(QStringLiteral("few.pt"));
        network::saveScript(file.toStdString(), sumOfWords, classes);
        WorkerOn worker(m_gpu);
        // Words that are out of range in its embeddings.
        QVERIFY(worker.load(script(file, 1000)));
        worker.say(quickTrial(1, 64));
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error);
        QVERIFY(error->fatal);
        QCOMPARE(worker.exitCode(), 42);
        WorkerOn fresh(m_gpu);
        QVERIFY(fresh.load(decoder()));
        QCOMPARE(toText(fresh.resultOf(quickTrial(1, 4)).outcome), toText(Outcome::Ok));
    }
};

QTEST_GUILESS_MAIN(GpuWorkerTest)
#include "tst_gpu_worker.moc"

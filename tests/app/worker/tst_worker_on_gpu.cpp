// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "device/host_memory.h"
#include "network/cpu_device_memory.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "worker_talk.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <string>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

QString simulatedLibraries()
{
    return QStringLiteral("LD_LIBRARY_PATH=") + QFileInfo(QStringLiteral(BATCHPEAK_SIMULATED_CUDA)).path();
}

/// The real worker on a simulated GPU.
class SimulatedGpuWorker : public GpuWorker
{
public:
    /// \param settings  words of simulated_gpu::Settings
    explicit SimulatedGpuWorker(const QString& settings = {}, const QStringList& environment = {})
        : GpuWorker(QStringLiteral(BATCHPEAK_WORKER_PROGRAM),
                    QStringList{simulatedLibraries(), QStringLiteral("CUDA_VISIBLE_DEVICES=GPU-first"),
                                QStringLiteral("FAKE_NVML_MEBIBYTES=2048"),
                                QStringLiteral("BATCHPEAK_SIMULATED_GPU=") + settings} +
                        environment)
    {}
};

} // namespace

/// Tests that the worker's whole conversation works with a GPU as its device, and after failures of the GPU.
class WorkerOnGpuTest : public QObject
{
    Q_OBJECT

private slots:
    void runsTrials_data()
    {
        rows<model::Phase>({{"train", model::Phase::Train}, {"eval", model::Phase::Eval}});
    }
    void runsTrials()
    {
        const auto& phase = row<model::Phase>();
        SimulatedGpuWorker worker;
        QVERIFY(worker.hello);
        QCOMPARE(worker.hello->device.kind, "cuda");
        QCOMPARE(worker.hello->device.uuid, "GPU-first");
        QCOMPARE(worker.hello->device.name, "Fake H200");
        QCOMPARE(worker.hello->device.totalBytes, 2048 * mebibyte);
        QCOMPARE(worker.hello->device.freeBytes, 2016 * mebibyte);
        QCOMPARE(worker.hello->device.contextBytes, 32 * mebibyte);
        const auto loaded = worker.load(tinyGpt(phase, 256 * mebibyte));
        QVERIFY(loaded);
        QCOMPARE(loaded->limitBytes, 256 * mebibyte);
        const TrialResult result = worker.resultOf(quickTrial(7, 3));
        QVERIFY2(result.outcome == Outcome::Ok, result.text.c_str());
        QCOMPARE(result.steps, 3);
        QVERIFY(result.forwardSeconds);
        QCOMPARE(result.backwardSeconds.has_value(), phase == model::Phase::Train);
        QCOMPARE(result.optimizerSeconds.has_value(), phase == model::Phase::Train);
        QVERIFY(result.peakAllocatedBytes >= loaded->baselineBytes);
        // The allocator reserves whole segments of 2 MiB.
        QCOMPARE(result.peakReservedBytes % (2 * mebibyte), 0);
        QVERIFY(result.readings.processorShare);
        QCOMPARE(result.readings.temperatureCelsius, 61.0);
        worker.say(Bye{});
        QCOMPARE(worker.exitCode(), 0);
    }

    // A GB10 shares the memory of the computer, so the management library reports none.
    void usesTheFreeMemoryOfAComputerThatSharesIt()
    {
        const std::int64_t left = network::tensorBytesWithin(device::hostMemory().available);
        SimulatedGpuWorker worker(QStringLiteral("devices=2 total=%1").arg(std::int64_t{1} << 50),
                                  {QStringLiteral("CUDA_VISIBLE_DEVICES=GPU-second")});
        QVERIFY(worker.hello);
        const DeviceDescription& told = worker.hello->device;
        QCOMPARE(told.uuid, "GPU-second");
        // CUDA reports the total, and the computer reports how much of it is free.
        QCOMPARE(told.totalBytes, std::int64_t{1} << 50);
        QVERIFY2(told.freeBytes > left / 2 && told.freeBytes < left + left / 2,
                 std::to_string(told.freeBytes).c_str());
        QCOMPARE(told.contextBytes, 0);
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, 0));
        QVERIFY(loaded);
        QVERIFY(loaded->limitBytes > left / 2 && loaded->limitBytes < left + left / 2);
        QCOMPARE(worker.resultOf(quickTrial(1, 2)).outcome, Outcome::Ok);
    }

    // On an H100, the one kernel of bitsandbytes took a quarter of the time of our kernels on large matrices.
    void reportsAnotherKernelFor4BitWeights_data()
    {
        using enum model::FrozenWeights;
        rows<model::FrozenWeights, bool>(
            {{"nf4", {Nf4, true}}, {"torchao-nf4", {TorchaoNf4, false}}, {"bf16", {Bf16, false}}});
    }
    void reportsAnotherKernelFor4BitWeights()
    {
        const auto& [weights, isAnother] = row<model::FrozenWeights, bool>();
        SimulatedGpuWorker worker;
        LoadRequest request = tinyGpt(model::Phase::Train, 256 * mebibyte);
        request.tuning = {.adapter = model::AdapterKind::Lora,
                          .targets = {{.projection = model::Projection::Query}},
                          .frozenWeights = weights};
        const auto loaded = worker.load(request);
        QVERIFY(loaded);
        const std::vector<std::string> said{std::string(config::approximation::kernel4bit)};
        QVERIFY(loaded->approximations == (isAnother ? said : std::vector<std::string>()));
        const TrialResult result = worker.resultOf(quickTrial(7, 2));
        QVERIFY2(result.outcome == Outcome::Ok, result.text.c_str());
    }

    void compares()
    {
        SimulatedGpuWorker worker;
        QVERIFY(worker.load(tinyGpt(model::Phase::Train, 256 * mebibyte)));
        const TrialResult result =
            worker.resultOf(CompareRequest{.id = 8, .microBatchSizes = {3, 1, 2}, .visits = 2, .steps = 2});
        QVERIFY2(result.outcome == Outcome::Ok, result.text.c_str());
        QCOMPARE(result.compared.size(), std::size_t{3});
    }

    void continuesAfterOutOfMemory_data()
    {
        rows<Text>(
            {{"holders of memory known", ""}, {"holders of memory unknown", "fails-to-name-holders=1"}});
    }
    void continuesAfterOutOfMemory()
    {
        SimulatedGpuWorker worker(row<Text>());
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, 128 * mebibyte));
        QVERIFY(loaded);
        const TrialResult tooLarge = worker.resultOf(quickTrial(1, 1 << 16));
        QCOMPARE(toText(tooLarge.outcome), toText(Outcome::OutOfMemory));
        QVERIFY(tooLarge.peakReservedBytes <= 128 * mebibyte || row<Text>().isEmpty());
        QVERIFY(!tooLarge.isLast);
        QVERIFY(!tooLarge.refusedHostBytes);
        const TrialResult small = worker.resultOf(quickTrial(2, 2));
        QVERIFY2(small.outcome == Outcome::Ok, small.text.c_str());
    }

    // In the first step of a fresh process, the libraries have not been initialized.
    void runsOutOfMemoryInTheFirstStep()
    {
        SimulatedGpuWorker worker;
        QVERIFY(worker.load(tinyGpt(model::Phase::Train, 64 * mebibyte)));
        QCOMPARE(toText(worker.resultOf(quickTrial(1, 1 << 16)).outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(toText(worker.resultOf(quickTrial(2, 1)).outcome), toText(Outcome::Ok));
    }

    void reportsThatNotEvenTheNetworkFits()
    {
        SimulatedGpuWorker worker;
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, 1024));
        QVERIFY(loaded);
        QVERIFY(loaded->baselineBytes > loaded->limitBytes);
        QCOMPARE(toText(worker.resultOf(quickTrial(1, 1)).outcome), toText(Outcome::OutOfMemory));
    }

    // The allocator reads its limit once per process, so no later limit is higher than the first.
    void reportsTheLimitInForce()
    {
        SimulatedGpuWorker worker;
        QCOMPARE(worker.load(tinyGpt(model::Phase::Train, 256 * mebibyte))->limitBytes, 256 * mebibyte);
        QCOMPARE(worker.load(tinyGpt(model::Phase::Train, 128 * mebibyte))->limitBytes, 128 * mebibyte);
        const TrialResult small = worker.resultOf(quickTrial(1, 2));
        QVERIFY(small.peakReservedBytes < 128 * mebibyte);
        QCOMPARE(worker.load(tinyGpt(model::Phase::Train, 1024 * mebibyte))->limitBytes, 256 * mebibyte);
    }

    void reportsTheLimitAndTheSettingsOfTheUser()
    {
        SimulatedGpuWorker worker({}, {QStringLiteral("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64,"
                                                      "per_process_memory_fraction:0.25")});
        QVERIFY(worker.hello);
        QCOMPARE(worker.hello->device.limitBytes, 512 * mebibyte);
        QCOMPARE(worker.hello->device.allocatorSettings,
                 "max_split_size_mb:64,per_process_memory_fraction:0.25");
        // No limit exceeds the memory that the user allows a process.
        QCOMPARE(worker.load(tinyGpt(model::Phase::Train, 1024 * mebibyte))->limitBytes, 512 * mebibyte);
        SimulatedGpuWorker unbound;
        QCOMPARE(unbound.hello->device.limitBytes, 0);
        QCOMPARE(unbound.hello->device.allocatorSettings, "");
    }

    void reportsTheKernelThatComputesAttention_data()
    {
        using enum model::Attention;
        using enum model::Precision;
        rows<Text, model::Precision, model::Attention, std::string>(
            {{"Hopper, 16 bits", {"prefers-cudnn=1", Bf16, Automatic, "cudnn"}},
             {"Hopper, 32 bits", {"prefers-cudnn=1", Fp32, Automatic, "memory-efficient"}},
             {"Ampere", {"", Bf16, Automatic, "flash"}},
             {"flash on Hopper", {"prefers-cudnn=1", Bf16, Flash, "flash"}},
             {"memory-efficient on Hopper", {"prefers-cudnn=1", Bf16, MemoryEfficient, "memory-efficient"}},
             {"products", {"prefers-cudnn=1", Bf16, Math, "math"}},
             {"flash in 32 bits", {"prefers-cudnn=1", Fp32, Flash, "memory-efficient"}},
             {"cuDNN on Ampere", {"", Bf16, Cudnn, "flash"}}});
    }
    void reportsTheKernelThatComputesAttention()
    {
        const auto& [settings, precision, asked, ran] =
            row<Text, model::Precision, model::Attention, std::string>();
        SimulatedGpuWorker worker(settings);
        LoadRequest load = tinyGpt(model::Phase::Train, 256 * mebibyte);
        load.precision = precision;
        load.step.attention = asked;
        QVERIFY(worker.load(load));
        QCOMPARE(worker.resultOf(quickTrial(1, 2)).attention, ran);
    }

    // Padded samples need a mask, which the flash kernel does not support.
    void reportsAnotherKernelForPaddedSamples_data()
    {
        rows<model::Attention, std::string>(
            {{"PyTorch's choice", {model::Attention::Automatic, "memory-efficient"}},
             {"flash, which cuts padding away", {model::Attention::Flash, "flash"}}});
    }
    void reportsAnotherKernelForPaddedSamples()
    {
        const auto& [asked, ran] = row<model::Attention, std::string>();
        SimulatedGpuWorker worker;
        LoadRequest load = tinyGpt(model::Phase::Train, 256 * mebibyte);
        load.precision = model::Precision::Bf16;
        load.step.attention = asked;
        load.sampleLengths = {1, 2, 3, 4, 5, 6, 7};
        QVERIFY(worker.load(load));
        QCOMPARE(worker.resultOf(quickTrial(1, 8)).attention, ran);
    }

    // With activation checkpointing, a layer runs again on autograd's thread, and restores the random number
    // generator when it throws.
    void endsWhenTheContextIsLostDuringRecomputation_data()
    {
        // About a third of the kernels of a step run while backward recomputes a layer.
        rows<Text>({{"900", "900"}, {"940", "940"}, {"980", "980"}, {"1020", "1020"}, {"1060", "1060"}});
    }
    void endsWhenTheContextIsLostDuringRecomputation()
    {
        SimulatedGpuWorker worker(QStringLiteral("failing-kernel=") + row<Text>());
        LoadRequest load = tinyGpt(model::Phase::Train, 256 * mebibyte);
        load.step.activationCheckpointing = true;
        QVERIFY(worker.load(load));
        for (std::int64_t id = 1; id < 50; ++id)
            worker.say(quickTrial(id, 2));
        QVERIFY(worker.hear<WorkerError>());
        QCOMPARE(worker.exitCode(), 42);
    }

    void endsWhenTheContextIsLost()
    {
        SimulatedGpuWorker worker(QStringLiteral("failing-kernel=400"));
        QVERIFY(worker.load(tinyGpt(model::Phase::Train, 256 * mebibyte)));
        for (std::int64_t id = 1; id < 50; ++id)
            worker.say(quickTrial(id, 2));
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error);
        QVERIFY(error->fatal);
        VERIFY_CONTAINS(error->text, "illegal memory access");
        QVERIFY2(error->text.find("Exception raised from") == std::string::npos, error->text.c_str());
        QCOMPARE(worker.exitCode(), 42);
    }

    void reportsWhyThereIsNoDevice_data()
    {
        rows<Text, std::string>(
            {{"driver too old", {"initialization-error=35", "driver on your system is too old"}},
             {"driver of another version", {"initialization-error=803", "Error 803"}},
             {"hidden", {"devices=0", "CUDA_VISIBLE_DEVICES"}}});
    }
    void reportsWhyThereIsNoDevice()
    {
        const auto& [settings, text] = row<Text, std::string>();
        WorkerTalk worker(QStringLiteral(BATCHPEAK_WORKER_PROGRAM),
                          {QStringLiteral("--device"), QStringLiteral("cuda")},
                          {simulatedLibraries(), QStringLiteral("BATCHPEAK_SIMULATED_GPU=") + settings});
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error);
        VERIFY_CONTAINS(error->text, text);
        QVERIFY(worker.exitCode() > 0);
    }

    void reportsALowerLimitIfMemoryIsReleasedLate()
    {
        const QTemporaryDir folder;
        const QString settings =
            QStringLiteral("questions-until-back=6 ledger=") + folder.filePath(QStringLiteral("ledger"));
        auto first = std::make_unique<SimulatedGpuWorker>(settings);
        QVERIFY(first->load(tinyGpt(model::Phase::Train, 1900 * mebibyte)));
        QCOMPARE(toText(first->resultOf(quickTrial(1, 1 << 12)).outcome), toText(Outcome::Ok));
        first.reset();
        SimulatedGpuWorker second(settings);
        const auto early = second.load(tinyGpt(model::Phase::Train, 1900 * mebibyte));
        QVERIFY(early);
        QVERIFY(early->limitBytes < 1900 * mebibyte);
    }
};

BATCHPEAK_TEST(WorkerOnGpuTest)
#include "tst_worker_on_gpu.moc"

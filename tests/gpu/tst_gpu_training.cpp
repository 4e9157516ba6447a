// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu_requests.h"
#include "gpu_suite.h"
#include "network/failure.h"
#include "network/training_runner.h"
#include "support/rows.h"
#include "tiny_networks.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using test::mebibyte;
using trial::LoadRequest;

namespace {

constexpr std::int64_t samplesInEpoch = 4096;

trial::TrainingRequest synthetic(const std::string& checkpoint = {})
{
    return {.data = {.samples = samplesInEpoch}, .checkpoint = checkpoint};
}

trial::BatchRequest batchOf(std::int64_t step, std::int64_t samples, std::int64_t microBatchSize)
{
    return {.id = step, .first = step * samples, .samples = samples, .microBatchSize = microBatchSize};
}

/// Returns the losses of \p steps steps from \p first on.
std::vector<double> lossesOf(TrainingRunner& runner, std::int64_t first, std::int64_t steps,
                             std::int64_t samples, std::int64_t microBatchSize)
{
    std::vector<double> losses;
    for (std::int64_t step = first; step < first + steps; ++step)
        losses.push_back(runner.run(batchOf(step, samples, microBatchSize)).loss);
    return losses;
}

double worstDifference(const std::vector<double>& actual, const std::vector<double>& expected)
{
    double worst = actual.size() == expected.size() ? 0.0 : INFINITY;
    for (std::size_t i = 0; i < actual.size() && i < expected.size(); ++i)
        worst = std::max(worst, std::abs(actual[i] / expected[i] - 1));
    return worst;
}

LoadRequest decoderLoad(const model::DecoderSpec& spec, model::Precision precision)
{
    return test::gpuRequest(spec, model::Phase::Train, precision);
}

// Kernels of a GPU add in another order in each run, and AdamW makes a whole step of a gradient that consists
// of rounding errors.
constexpr double fp32Tolerance = 1e-3;
constexpr double bf16Tolerance = 2e-2;

} // namespace

/// Tests that training on a GPU gives the same result with any micro-batches, after a failure and after a
/// resume.
class GpuTrainingTest : public test::GpuSuite
{
    Q_OBJECT

public:
    using GpuSuite::GpuSuite;

private:
    /// Returns the failure of a batch; Outcome::Ok if it runs.
    Failure failureOf(TrainingRunner& runner, const trial::BatchRequest& batch)
    {
        const std::int64_t before = memory().outOfMemoryCount();
        try {
            runner.run(batch);
        } catch (const std::exception& error) {
            return classifyFailure(error, memory(), before);
        }
        return {.outcome = trial::Outcome::Ok};
    }

    /// Returns the peak of a batch. The runner empties the cache if the micro-batch size changes.
    std::int64_t peakReservedBytes(TrainingRunner& runner, const trial::BatchRequest& batch)
    {
        runner.run(batch);
        return memory().peakReservedBytes();
    }

    static void addDecoders()
    {
        using model::Precision;
        rows<LoadRequest, double>(
            {{"GPT, fp32", {decoderLoad(tinyGpt(), Precision::Fp32), fp32Tolerance}},
             {"GPT, bf16", {decoderLoad(tinyGpt(), Precision::Bf16), bf16Tolerance}},
             {"LLaMA, fp32", {decoderLoad(tinyLlama(), Precision::Fp32), fp32Tolerance}},
             {"LLaMA, bf16", {decoderLoad(tinyLlama(), Precision::Bf16), bf16Tolerance}},
             {"Mixtral, fp32", {decoderLoad(tinyMixtral(), Precision::Fp32), fp32Tolerance}},
             {"Mixtral, bf16", {decoderLoad(tinyMixtral(), Precision::Bf16), bf16Tolerance}}});
    }

private slots:
    void accumulatesToTheWholeBatch_data()
    {
        const auto add = rows<LoadRequest, double>();
        const auto addAll = [&add](model::Precision precision, double tolerance) {
            for (const test::NamedRequest& request : test::everyTraining(precision)) {
                if (!model::normalizesOverBatch(request.load.model))
                    add(request.name, {request.load, tolerance});
            }
        };
        addAll(model::Precision::Fp32, fp32Tolerance);
        addAll(model::Precision::Bf16, bf16Tolerance);
    }
    void accumulatesToTheWholeBatch()
    {
        const auto& [load, tolerance] = row<LoadRequest, double>();
        constexpr std::int64_t samples = 14;
        std::vector<double> whole;
        {
            TrainingRunner runner(load, synthetic(), memory());
            whole = lossesOf(runner, 0, 5, samples, samples);
        }
        for (const std::int64_t size : {1, 3, 7}) {
            TrainingRunner runner(load, synthetic(), memory());
            const double difference = worstDifference(lossesOf(runner, 0, 5, samples, size), whole);
            QVERIFY2(difference < tolerance,
                     qPrintable(QStringLiteral("in %1: %2").arg(size).arg(difference)));
        }
    }

    void retriesABatchThatDidNotFit_data() { addDecoders(); }
    void retriesABatchThatDidNotFit()
    {
        const auto& [load, tolerance] = row<LoadRequest, double>();
        // The logits alone exceed the limit of a GPU.
        const std::int64_t samples = test::isSimulated() ? 128 : 512;
        constexpr std::int64_t fits = 8;
        std::int64_t limit = 0;
        std::vector<double> undisturbed;
        {
            TrainingRunner runner(load, synthetic(), memory());
            undisturbed = lossesOf(runner, 0, 3, samples, fits);
        }
        {
            TrainingRunner runner(load, synthetic(), memory());
            const std::int64_t few = peakReservedBytes(runner, batchOf(0, fits, fits));
            limit = test::isSimulated() ? (few + peakReservedBytes(runner, batchOf(0, samples, samples))) / 2
                                        : std::max(few, 2048 * mebibyte);
        }
        memory().setLimit(limit);
        TrainingRunner runner(load, synthetic(), memory());
        std::vector<double> retried;
        for (std::int64_t step = 0; step < 3; ++step) {
            const Failure failure = failureOf(runner, batchOf(step, samples, samples));
            QVERIFY2(failure.outcome == trial::Outcome::OutOfMemory, failure.text.c_str());
            QVERIFY(runner.recover());
            retried.push_back(runner.run(batchOf(step, samples, fits)).loss);
        }
        const double difference = worstDifference(retried, undisturbed);
        QVERIFY2(difference < tolerance, qPrintable(QString::number(difference)));
    }

    // Composer shrinks a micro-batch after such flushes: the cached blocks of a smaller micro-batch do not
    // fit a larger one, and are freed first.
    void countsFlushesInABatch()
    {
        if (test::isSimulated())
            QSKIP("Networks that a processor computes are too tiny for it: they take whole segments alone.");
        const LoadRequest load = decoderLoad(tinyGpt(), model::Precision::Bf16);
        constexpr std::int64_t small = 24;
        constexpr std::int64_t large = 32;
        TrainingRunner runner(load, synthetic(), memory());
        // The first batch creates the workspaces of libraries.
        runner.run(batchOf(0, large, large));
        const std::int64_t needed = std::max(peakReservedBytes(runner, batchOf(0, small, small)),
                                             peakReservedBytes(runner, batchOf(0, large, large)));
        memory().emptyCache();
        memory().setLimit(needed + 32 * mebibyte);
        runner.run(batchOf(0, small, small));
        const std::int64_t refusals = memory().outOfMemoryCount();
        const std::int64_t retries = memory().allocationRetries();
        runner.run(batchOf(0, large, large));
        QVERIFY(memory().allocationRetries() > retries);
        QCOMPARE(memory().outOfMemoryCount(), refusals);
    }

    // Losses with dropout differ if the random state is lost.
    void resumesFromACheckpoint_data() { addDecoders(); }
    void resumesFromACheckpoint()
    {
        auto [load, tolerance] = row<LoadRequest, double>();
        constexpr std::int64_t samples = 16;
        std::get<model::DecoderSpec>(load.model.architecture).dropout = 0.2;
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("state.safetensors")).toStdString();
        std::vector<double> expected;
        {
            TrainingRunner runner(load, synthetic(), memory());
            lossesOf(runner, 0, 3, samples, 4);
            QVERIFY(runner.save(path) > 0);
            expected = lossesOf(runner, 3, 3, samples, 4);
        }
        TrainingRunner resumed(load, synthetic(path), memory());
        const double difference = worstDifference(lossesOf(resumed, 3, 3, samples, 4), expected);
        QVERIFY2(difference < tolerance, qPrintable(QString::number(difference)));
    }
};

int main(int argc, char** argv)
{
    return test::runOnGpu<GpuTrainingTest>(argc, argv);
}
#include "tst_gpu_training.moc"

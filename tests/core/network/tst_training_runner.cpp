// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/cpu_device_memory.h"
#include "network/execution_state.h"
#include "npy_bytes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training_support.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;
using trial::LossWeighting;

namespace {

trial::BatchRequest evaluated(trial::BatchRequest batch)
{
    batch.phase = model::Phase::Eval;
    return batch;
}

// Writes rows of tokens in the vocabulary of tiny networks, as an array of two dimensions.
bool writeRows(const QTemporaryDir& folder, const QString& name, int rows, int columns)
{
    QList<std::uint16_t> tokens;
    for (int i = 0; i < rows * columns; ++i)
        tokens.append(static_cast<std::uint16_t>(i * 7 % 61));
    const QByteArray shape = '(' + QByteArray::number(rows) + ", " + QByteArray::number(columns) + ')';
    return data::writeFile(folder.filePath(name), data::npyOf(shape, tokens));
}

bool isClose(double actual, double expected)
{
    return std::abs(actual - expected) < 1e-5 * std::abs(expected);
}

} // namespace

class TrainingRunnerTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

    static void addNetworks()
    {
        const auto add = rows<LoadRequest>();
        for (const NamedNetwork& network : tinyNetworks())
            add(network.name, trainingLoad(withDropout(network.architecture)));
        LoadRequest other = trainingLoad(withDropout(tinyLlama()));
        other.precision = model::Precision::PureBf16;
        add("pure bf16", other);
        other.precision = model::Precision::Bf16;
        add("bf16", other);
        other.optimizer = model::Optimizer::Sgd;
        add("SGD", other);
        for (const auto optimizer : {model::Optimizer::AdamW32bit, model::Optimizer::Lion,
                                     model::Optimizer::Lion8bit, model::Optimizer::Adafactor}) {
            for (const auto precision : {model::Precision::PureBf16, model::Precision::PlainBf16}) {
                other.optimizer = optimizer;
                other.precision = precision;
                add(std::string(toText(optimizer)) + ", " + std::string(toText(precision)), other);
            }
        }
        other.optimizer = model::Optimizer::Adafactor;
        other.precision = model::Precision::Bf16;
        add("Adafactor", other);
    }

private slots:
    void cleanup()
    {
        m_memory.setLimit(0);
        m_memory.emptyCache();
        QCOMPARE(m_memory.allocatedBytes(), 0);
    }

    void learns_data() { addNetworks(); }
    void learns()
    {
        const auto& load = row<LoadRequest>();
        TrainingRunner runner(load, syntheticTraining(), m_memory);
        const std::vector<double> losses = lossesOf(runner, 0, 40, 8, 4);
        QVERIFY2(losses.back() < losses.front() - 0.02,
                 qPrintable(QStringLiteral("%1 -> %2").arg(losses.front()).arg(losses.back())));
    }

    void continuesFromACheckpointBitForBit_data() { addNetworks(); }
    void continuesFromACheckpointBitForBit()
    {
        const auto& load = row<LoadRequest>();
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("half.safetensors")).toStdString();
        std::vector<double> losses;
        QByteArray end;
        {
            TrainingRunner runner(load, syntheticTraining(), m_memory);
            lossesOf(runner, 0, 3, 8, 4);
            const std::int64_t bytes = runner.save(path);
            QCOMPARE(bytes, QFile(QString::fromStdString(path)).size());
            losses = lossesOf(runner, 3, 4, 8, 4);
            end = stateOf(runner);
        }
        trial::TrainingRequest resumed = syntheticTraining();
        resumed.checkpoint = path;
        TrainingRunner runner(load, resumed, m_memory);
        QCOMPARE(lossesOf(runner, 3, 4, 8, 4), losses);
        QVERIFY(stateOf(runner) == end);
    }

    // This checkpoint has no hash of its tensors, which would reveal the damage.
    void refusesAnInvalidRandomState()
    {
        const LoadRequest load = trainingLoad(tinyGpt());
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("damaged.safetensors"));
        TrainingRunner(load, syntheticTraining(), m_memory).save(path.toStdString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        // The random state is at the end of the file.
        const qint64 damagedBytes = randomState(at::kCPU).numel();
        QVERIFY(file.seek(file.size() - damagedBytes));
        QCOMPARE(file.write(QByteArray(damagedBytes, '\xff')), damagedBytes);
        file.close();
        trial::TrainingRequest resumed = syntheticTraining();
        resumed.checkpoint = path.toStdString();
        try {
            const TrainingRunner runner(load, resumed, m_memory);
            QFAIL("It was taken.");
        } catch (const CheckpointError& error) {
            VERIFY_CONTAINS(QString::fromUtf8(error.what()), path);
            VERIFY_CONTAINS(QString::fromUtf8(error.what()), "random_state");
        }
    }

    void keepsItsStateInEvaluation_data() { addNetworks(); }
    void keepsItsStateInEvaluation()
    {
        const auto& load = row<LoadRequest>();
        TrainingRunner runner(load, syntheticTraining(), m_memory);
        lossesOf(runner, 0, 2, 8, 4);
        const QByteArray before = stateOf(runner);
        const BatchDone first = runner.run(evaluated(batchOfStep(0, 8, 8)));
        QVERIFY(stateOf(runner) == before);
        QVERIFY(std::isfinite(first.loss) && first.loss > 0);
        QCOMPARE(first.optimizerSeconds, 0.0);
        QCOMPARE(runner.run(evaluated(batchOfStep(0, 8, 8))).loss, first.loss);
    }

    // Without dropout and with losses in fp32, micro-batches give the loss of the whole batch.
    void accumulatesToTheWholeBatch()
    {
        const LoadRequest load = trainingLoad(tinyGpt());
        std::vector<double> whole;
        {
            TrainingRunner runner(load, syntheticTraining(), m_memory);
            whole = lossesOf(runner, 0, 6, 8, 8);
        }
        for (const std::int64_t size : {1, 3, 4, 5}) {
            TrainingRunner runner(load, syntheticTraining(), m_memory);
            const std::vector<double> parts = lossesOf(runner, 0, 6, 8, size);
            for (std::size_t i = 0; i < parts.size(); ++i)
                QVERIFY2(isClose(parts[i], whole[i]), qPrintable(QString::number(parts[i] - whole[i])));
        }
    }

    void holdsOneMicroBatchAtATime()
    {
        TrainingRunner runner(trainingLoad(tinyGpt()), syntheticTraining(), m_memory);
        runner.run(batchOfStep(0, 4, 4));
        const std::int64_t peakOfOne = m_memory.peakReservedBytes();
        runner.run(batchOfStep(0, 32, 4));
        // The gradients of the previous micro-batch exist while the next one runs; the last of a network are
        // small.
        const std::int64_t inputs = 32 * 16 * 2 * static_cast<std::int64_t>(sizeof(std::int64_t));
        QVERIFY2(m_memory.peakReservedBytes() < peakOfOne + inputs / 2,
                 qPrintable(QString::number(m_memory.peakReservedBytes() - peakOfOne)));
    }

    void weightsSamplesOrTokens_data()
    {
        rows<LossWeighting>({{"samples", LossWeighting::Samples}, {"tokens", LossWeighting::Tokens}});
    }
    void weightsSamplesOrTokens()
    {
        const auto& weighting = row<LossWeighting>();
        const QTemporaryDir folder;
        QVERIFY(writeRows(folder, QStringLiteral("long.npy"), 1, 17));
        QVERIFY(writeRows(folder, QStringLiteral("short.npy"), 1, 5));
        const trial::TrainingRequest training{
            .data = {.kind = trial::DataKind::Arrays, .path = folder.path().toStdString()},
            .weighting = weighting};
        TrainingRunner runner(trainingLoad(tinyGpt()), training, m_memory);
        QCOMPARE(runner.ready().samples, 2);
        QCOMPARE(runner.ready().tokensPerSample, 16);
        BatchDone ofSample[2];
        for (std::int64_t i = 0; i < 2; ++i)
            ofSample[i] = runner.run(evaluated({.first = i, .samples = 1, .microBatchSize = 1}));
        // The test does not know the order of samples in the epoch.
        QCOMPARE(std::min(ofSample[0].countedTargets, ofSample[1].countedTargets), 4);
        QCOMPARE(std::max(ofSample[0].countedTargets, ofSample[1].countedTargets), 16);
        const auto weight = [&](const BatchDone& sample) {
            return weighting == LossWeighting::Samples ? 0.5
                                                       : static_cast<double>(sample.countedTargets) / 20.0;
        };
        const double expected =
            weight(ofSample[0]) * ofSample[0].loss + weight(ofSample[1]) * ofSample[1].loss;
        const BatchDone both = runner.run(evaluated({.samples = 2, .microBatchSize = 1}));
        QVERIFY2(isClose(both.loss, expected), qPrintable(QString::number(both.loss - expected)));
        QCOMPARE(both.countedTargets, 20);
        QVERIFY(!isClose(ofSample[0].loss, ofSample[1].loss));
    }

    // Weights by tokens give a batch the same loss for any micro-batch size.
    void weightsTokensEquallyInAllMicroBatches()
    {
        const QTemporaryDir folder;
        QVERIFY(writeRows(folder, QStringLiteral("long.npy"), 3, 17));
        QVERIFY(writeRows(folder, QStringLiteral("short.npy"), 5, 6));
        const trial::TrainingRequest training{
            .data = {.kind = trial::DataKind::Arrays, .path = folder.path().toStdString()},
            .weighting = LossWeighting::Tokens};
        std::vector<double> losses;
        for (const std::int64_t size : {8, 3, 1}) {
            TrainingRunner runner(trainingLoad(tinyGpt()), training, m_memory);
            for (int epoch = 0; epoch < 3; ++epoch)
                losses.push_back(runner.run({.epoch = epoch, .samples = 8, .microBatchSize = size}).loss);
        }
        for (std::size_t i = 3; i < losses.size(); ++i)
            QVERIFY2(isClose(losses[i], losses[i - 3]), qPrintable(QString::number(losses[i])));
    }

    void reportsMicroBatches()
    {
        TrainingRunner runner(trainingLoad(tinyGpt()), syntheticTraining(), m_memory);
        std::vector<std::int64_t> reported;
        runner.setMicroBatchDone([&reported](std::int64_t done) { reported.push_back(done); });
        runner.run(batchOfStep(0, 8, 3));
        QCOMPARE(reported, (std::vector<std::int64_t>{1, 2, 3}));
    }

    void timesABatch()
    {
        TrainingRunner runner(trainingLoad(tinyGpt()), syntheticTraining(), m_memory);
        const BatchDone done = runner.run(batchOfStep(0, 8, 3));
        QVERIFY(done.optimizerSeconds > 0);
        QVERIFY(done.seconds > done.optimizerSeconds);
        QCOMPARE(done.countedTargets, 8 * 16);
    }

    void usesTheRequestedLearningRate()
    {
        trial::TrainingRequest still = syntheticTraining();
        still.learningRate = 0;
        TrainingRunner runner(trainingLoad(tinyGpt()), still, m_memory);
        const double first = runner.run(batchOfStep(0, 8, 8)).loss;
        QCOMPARE(runner.run(batchOfStep(0, 8, 8)).loss, first);
    }

    void refusesRequestsThatCannotBeTrained()
    {
        LoadRequest load = trainingLoad(tinyGpt());
        load.phase = model::Phase::Eval;
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, TrainingRunner(load, syntheticTraining(), m_memory));
        load = trainingLoad(tinyGpt());
        load.step.updatesInBackward = true;
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, TrainingRunner(load, syntheticTraining(), m_memory));
        trial::TrainingRequest text = syntheticTraining();
        text.data = {.kind = trial::DataKind::Text, .path = "/some/text"};
        QVERIFY_THROWS_EXCEPTION(data::DataError, TrainingRunner(trainingLoad(tinyResNet()), text, m_memory));
    }

    void refusesABatchBeyondTheEpoch_data()
    {
        rows<std::int64_t, std::int64_t>({{"more than there are", {0, samplesInEpoch + 1}},
                                          {"too late", {samplesInEpoch - 1, 2}},
                                          {"far too late", {INT64_MAX, 1}},
                                          {"far too many", {1, INT64_MAX}}});
    }
    void refusesABatchBeyondTheEpoch()
    {
        const auto& [first, samples] = row<std::int64_t, std::int64_t>();
        TrainingRunner runner(trainingLoad(tinyGpt()), syntheticTraining(), m_memory);
        const auto failure =
            failureOf(runner, m_memory, {.first = first, .samples = samples, .microBatchSize = 1});
        QVERIFY(failure);
        QCOMPARE(failure->outcome, trial::Outcome::Unsupported);
        QVERIFY(runner.recover());
        QVERIFY(!failureOf(runner, m_memory, batchOfStep(0, 8, 8)));
    }
};

BATCHPEAK_TEST(TrainingRunnerTest)
#include "tst_training_runner.moc"

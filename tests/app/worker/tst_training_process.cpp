// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "worker_talk.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

LoadRequest droppingGpt(std::int64_t limit = 0)
{
    return {.model = {.family = "gpt2",
                      .architecture = model::DecoderSpec{.vocabularySize = 256,
                                                         .hiddenSize = 16,
                                                         .layers = 2,
                                                         .heads = 2,
                                                         .keyValueHeads = 2,
                                                         .feedForwardSize = 32,
                                                         .maxPositions = 16,
                                                         .dropout = 0.1}},
            .sequenceLength = 16,
            .memoryLimitBytes = limit};
}

TrainingRequest synthetic(const std::string& checkpoint = {})
{
    return {.data = {.samples = 32}, .learningRate = 1e-3, .checkpoint = checkpoint};
}

BatchRequest batchOfStep(std::int64_t step, std::int64_t microBatchSize)
{
    return {.id = step + 1,
            .epoch = step / 4,
            .first = step % 4 * 8,
            .samples = 8,
            .microBatchSize = microBatchSize};
}

class TrainingWorker : public CpuWorker
{
public:
    std::optional<TrainingReady> begin(const TrainingRequest& training,
                                       const LoadRequest& load = droppingGpt())
    {
        say(Hello{});
        say(load);
        say(training);
        return hear<TrainingReady>();
    }

    /// Returns the losses of the steps from \p first on; fewer if a step fails.
    std::vector<double> lossesOf(std::int64_t first, std::int64_t steps, std::int64_t microBatchSize)
    {
        std::vector<double> losses;
        for (std::int64_t step = first; step < first + steps; ++step) {
            const BatchResult result = resultOf(batchOfStep(step, microBatchSize));
            if (result.outcome != Outcome::Ok)
                break;
            losses.push_back(result.loss);
        }
        return losses;
    }
};

} // namespace

class TrainingProcessTest : public QObject
{
    Q_OBJECT

private slots:
    void trains()
    {
        TrainingWorker worker;
        const auto ready = worker.begin(synthetic());
        QVERIFY(ready);
        QCOMPARE(ready->samples, 32);
        QCOMPARE(ready->tokensPerSample, 16);
        const BatchResult first = worker.resultOf(batchOfStep(0, 3));
        QCOMPARE(toText(first.outcome), toText(Outcome::Ok));
        QCOMPARE(first.id, 1);
        QCOMPARE(first.microBatchSize, 3);
        QCOMPARE(first.countedTargets, 8 * 16);
        QVERIFY(first.seconds > first.optimizerSeconds && first.optimizerSeconds > 0);
        QVERIFY(first.peakReservedBytes >= first.peakAllocatedBytes && first.peakAllocatedBytes > 0);
        const std::vector<double> losses = worker.lossesOf(1, 60, 4);
        QCOMPARE(losses.size(), std::size_t{60});
        QVERIFY(losses.back() < first.loss - 0.05);

        BatchRequest evaluation = batchOfStep(0, 8);
        evaluation.phase = model::Phase::Eval;
        const BatchResult evaluated = worker.resultOf(evaluation);
        QCOMPARE(toText(evaluated.outcome), toText(Outcome::Ok));
        QVERIFY(evaluated.loss < first.loss);
        QCOMPARE(evaluated.optimizerSeconds, 0.0);

        worker.say(Bye{});
        QCOMPARE(worker.exitCode(), 0);
    }

    void continuesInAnotherProcess()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("half.safetensors")).toStdString();
        std::vector<double> losses;
        {
            TrainingWorker worker;
            QVERIFY(worker.begin(synthetic()));
            QCOMPARE(worker.lossesOf(0, 3, 4).size(), std::size_t{3});
            worker.say(SaveRequest{.id = 40, .path = path});
            const auto saved = worker.hear<Saved>();
            QVERIFY(saved);
            QCOMPARE(saved->id, 40);
            QCOMPARE(saved->problem, std::string());
            QCOMPARE(saved->bytes, QFile(QString::fromStdString(path)).size());
            losses = worker.lossesOf(3, 5, 4);
        }
        QCOMPARE(losses.size(), std::size_t{5});
        TrainingWorker worker;
        QVERIFY(worker.begin(synthetic(path)));
        QCOMPARE(worker.lossesOf(3, 5, 4), losses);
    }

    void repeatsABatchAtHalfTheSize()
    {
        std::int64_t limit = 0;
        std::vector<double> undisturbed;
        {
            TrainingWorker worker;
            QVERIFY(worker.begin(synthetic()));
            undisturbed = worker.lossesOf(0, 4, 4);
            limit = worker.resultOf(batchOfStep(4, 8)).peakReservedBytes - 1;
        }
        TrainingWorker worker;
        QVERIFY(worker.begin(synthetic(), droppingGpt(limit)));
        const BatchResult tooLarge = worker.resultOf(batchOfStep(0, 8));
        QCOMPARE(toText(tooLarge.outcome), toText(Outcome::OutOfMemory));
        QVERIFY(tooLarge.peakReservedBytes > limit);
        QVERIFY(!tooLarge.text.empty() && !tooLarge.isLast);
        QCOMPARE(worker.lossesOf(0, 4, 4), undisturbed);
    }

    void cancelsABatchAndContinues()
    {
        TrainingWorker worker;
        TrainingRequest large = synthetic();
        large.data.samples = 100'000;
        QVERIFY(worker.begin(large));
        worker.say(BatchRequest{.id = 1, .samples = 100'000, .microBatchSize = 1});
        const auto step = worker.hear<Step>();
        QVERIFY(step);
        QCOMPARE(step->id, 1);
        QVERIFY(step->seconds > 0);
        worker.say(Cancel{.id = 1});
        const auto cancelled = worker.hear<BatchResult>();
        QVERIFY(cancelled);
        QCOMPARE(toText(cancelled->outcome), toText(Outcome::Cancelled));
        const BatchResult next = worker.resultOf({.id = 2, .samples = 8, .microBatchSize = 4});
        QCOMPARE(toText(next.outcome), toText(Outcome::Ok));

        TrainingWorker undisturbed;
        QVERIFY(undisturbed.begin(large));
        QCOMPARE(undisturbed.resultOf({.id = 2, .samples = 8, .microBatchSize = 4}).loss, next.loss);
    }

    void reportsThatNotEvenTheParametersFit()
    {
        TrainingWorker worker;
        worker.say(Hello{});
        worker.say(droppingGpt(4096));
        const auto loaded = worker.hear<Loaded>();
        QVERIFY(loaded && loaded->baselineBytes > loaded->limitBytes);
        worker.say(synthetic());
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && !error->fatal);
        const BatchResult result = worker.resultOf(batchOfStep(0, 1));
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(result.peakReservedBytes, loaded->baselineBytes);
        QVERIFY(worker.begin(synthetic()));
    }

    void answersInvalidRequestsWithAnError_data()
    {
        const auto line = [](const ParentMessage& message) {
            return QByteArray::fromStdString(toLine(message));
        };
        const QByteArray load = line(droppingGpt());
        const QByteArray training = line(synthetic());
        LoadRequest evaluation = droppingGpt();
        evaluation.phase = model::Phase::Eval;
        TrainingRequest text = synthetic();
        text.data = {.kind = DataKind::Text, .path = "/no/such/text"};
        rows<QList<QByteArray>, Text>({
            {"training before load", {QList{training}, "after a load that succeeded"}},
            {"batch before training",
             {QList{load, line(batchOfStep(0, 1))}, "after a training that is ready"}},
            {"save before training", {QList{load, line(SaveRequest{.path = "/tmp/x"})}, "after a training"}},
            {"trial after training",
             {QList{load, training, line(TrialRequest{.id = 1})}, "after a load that succeeded"}},
            {"evaluation", {QList{line(evaluation), training}, "Load it for"}},
            {"no data", {QList{load, line(text)}, "/no/such/text"}},
            {"no checkpoint",
             {QList{load, line(synthetic("/no/such/checkpoint"))}, "/no/such/checkpoint could not be read"}},
        });
    }
    void answersInvalidRequestsWithAnError()
    {
        const auto& [lines, named] = row<QList<QByteArray>, Text>();
        TrainingWorker worker;
        worker.say(Hello{});
        for (const QByteArray& line : lines)
            worker.sayLine(line);
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && !error->fatal);
        VERIFY_CONTAINS(error->text, named);
        QVERIFY(worker.begin(synthetic()));
    }

    void reportsWhyNothingWasSaved()
    {
        TrainingWorker worker;
        QVERIFY(worker.begin(synthetic()));
        worker.say(SaveRequest{.id = 3, .path = "/no/such/folder/x.safetensors"});
        const auto saved = worker.hear<Saved>();
        QVERIFY(saved);
        QVERIFY2(saved->problem.find("/no/such/folder/x.safetensors could not be written") !=
                     std::string::npos,
                 saved->problem.c_str());
        QCOMPARE(toText(worker.resultOf(batchOfStep(0, 4)).outcome), toText(Outcome::Ok));
    }
};

BATCHPEAK_TEST(TrainingProcessTest)
#include "tst_training_process.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "worker_talk.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::trial;

Q_DECLARE_METATYPE(batchpeak::trial::Outcome)

namespace {

LoadRequest tinyGpt()
{
    return {.model = {.family = "gpt2",
                      .architecture = model::DecoderSpec{.vocabularySize = 64,
                                                         .hiddenSize = 16,
                                                         .layers = 1,
                                                         .heads = 2,
                                                         .keyValueHeads = 2,
                                                         .feedForwardSize = 32,
                                                         .maxPositions = 16}},
            .sequenceLength = 16};
}

TrialRequest quick(std::int64_t id)
{
    return {.id = id, .microBatchSize = 2, .minSteps = 3, .maxSteps = 3, .minSeconds = 0};
}

// The batch breaks down as a trial does, before its optimizer step.
BatchRequest batch(std::int64_t id)
{
    return {.id = id, .samples = 4, .microBatchSize = 2};
}

class BreakingWorker : public WorkerTalk
{
public:
    explicit BreakingWorker(const QString& breakdown)
        : WorkerTalk(QStringLiteral(BATCHPEAK_BREAKING_WORKER), {breakdown})
    {
        say(Hello{});
        say(tinyGpt());
    }

    /// Of a process that is about to end.
    int exitCode()
    {
        if (process.state() != QProcess::NotRunning)
            process.waitForFinished();
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
};

} // namespace

/// How the worker leaves trials in which its device breaks down: whether it answers, goes on, or ends, and
/// with which exit code.
class WorkerBreakdownsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithoutAResult_data()
    {
        QTest::addColumn<QString>("breakdown");
        QTest::addColumn<QString>("said");
        QTest::newRow("illegal access")
            << QStringLiteral("illegal-access") << QStringLiteral("illegal memory access");
        QTest::newRow("index out of range")
            << QStringLiteral("index-out-of-range") << QStringLiteral("device-side assert");
        QTest::newRow("memory in disguise")
            << QStringLiteral("cublas") << QStringLiteral("CUBLAS_STATUS_NOT_INITIALIZED");
        QTest::newRow("other devices") << QStringLiteral("nccl") << QStringLiteral("NCCL error");
    }
    void endsWithoutAResult()
    {
        QFETCH(QString, breakdown);
        QFETCH(QString, said);
        BreakingWorker worker(breakdown);
        QVERIFY(worker.hear<Loaded>());
        worker.say(quick(1));
        worker.say(quick(2));
        std::optional<WorkerError> error;
        while (const auto message = worker.hear()) {
            QVERIFY(!std::holds_alternative<TrialResult>(*message));
            if (const auto* fatal = std::get_if<WorkerError>(&*message))
                error = *fatal;
        }
        QVERIFY(error);
        QVERIFY(error->fatal);
        QVERIFY2(QString::fromStdString(error->text).contains(said), error->text.c_str());
        QCOMPARE(worker.exitCode(), 42);
    }

    void endsAfterItsResultWhereMemoryStaysLost()
    {
        BreakingWorker worker(QStringLiteral("lost-memory"));
        QVERIFY(worker.hear<Loaded>());
        worker.say(quick(1));
        const auto result = worker.hear<TrialResult>();
        QVERIFY(result);
        QCOMPARE(toText(result->outcome), toText(Outcome::OutOfMemory));
        QVERIFY(!result->refusedHostBytes);
        QVERIFY(result->isLast);
        QVERIFY(!worker.hear());
        QCOMPARE(worker.exitCode(), 43);
    }

    void goesOn_data()
    {
        QTest::addColumn<QString>("breakdown");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<bool>("ofHost");
        QTest::newRow("more blocks than there can be")
            << QStringLiteral("too-many-blocks") << Outcome::Unsupported << false;
        QTest::newRow("main memory") << QStringLiteral("host-memory") << Outcome::OutOfMemory << true;
    }
    void goesOn()
    {
        QFETCH(QString, breakdown);
        QFETCH(Outcome, outcome);
        QFETCH(bool, ofHost);
        BreakingWorker worker(breakdown);
        QVERIFY(worker.hear<Loaded>());
        worker.say(quick(1));
        const auto broken = worker.hear<TrialResult>();
        QVERIFY(broken);
        QCOMPARE(toText(broken->outcome), toText(outcome));
        QCOMPARE(broken->refusedHostBytes.has_value(), ofHost);
        QVERIFY(!broken->isLast);
        worker.say(quick(2));
        const auto next = worker.hear<TrialResult>();
        QVERIFY(next);
        QCOMPARE(toText(next->outcome), toText(Outcome::Ok));
    }

    void endsABatchWithoutAResult()
    {
        BreakingWorker worker(QStringLiteral("illegal-access"));
        worker.say(TrainingRequest{});
        QVERIFY(worker.hear<TrainingReady>());
        worker.say(batch(1));
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && error->fatal);
        QCOMPARE(worker.exitCode(), 42);
    }

    void endsAfterABatchWhereMemoryStaysLost()
    {
        BreakingWorker worker(QStringLiteral("lost-memory"));
        worker.say(TrainingRequest{});
        QVERIFY(worker.hear<TrainingReady>());
        worker.say(batch(1));
        const auto result = worker.hear<BatchResult>();
        QVERIFY(result);
        QCOMPARE(toText(result->outcome), toText(Outcome::OutOfMemory));
        QVERIFY(result->isLast);
        QCOMPARE(worker.exitCode(), 43);
    }

    void trainsOn_data() { goesOn_data(); }
    void trainsOn()
    {
        QFETCH(QString, breakdown);
        QFETCH(Outcome, outcome);
        QFETCH(bool, ofHost);
        BreakingWorker worker(breakdown);
        worker.say(TrainingRequest{});
        QVERIFY(worker.hear<TrainingReady>());
        worker.say(batch(1));
        const auto broken = worker.hear<BatchResult>();
        QVERIFY(broken);
        QCOMPARE(toText(broken->outcome), toText(outcome));
        QCOMPARE(broken->refusedHostBytes.has_value(), ofHost);
        QVERIFY(!broken->isLast);
        worker.say(batch(1));
        const auto again = worker.hear<BatchResult>();
        QVERIFY(again);
        QCOMPARE(toText(again->outcome), toText(Outcome::Ok));
    }

    void refusesAnotherLibtorch()
    {
        qputenv("LD_PRELOAD", BATCHPEAK_ANOTHER_LIBTORCH);
        WorkerTalk worker(QStringLiteral(BATCHPEAK_WORKER_PROGRAM),
                          {QStringLiteral("--device"), QStringLiteral("cpu")});
        QVERIFY(worker.process.waitForStarted());
        qunsetenv("LD_PRELOAD");
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error);
        QVERIFY(error->fatal);
        const QString text = QString::fromStdString(error->text);
        QVERIFY2(text.contains(QStringLiteral("libtorch 2.11.0")) && text.contains(QStringLiteral("2.12.0")),
                 error->text.c_str());
        QVERIFY(worker.process.state() == QProcess::NotRunning || worker.process.waitForFinished());
        QCOMPARE(worker.process.exitCode(), 1);
    }
};

BATCHPEAK_TEST(WorkerBreakdownsTest)
#include "tst_worker_breakdowns.moc"

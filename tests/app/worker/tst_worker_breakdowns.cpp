// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "worker_talk.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

TrialRequest quick(std::int64_t id)
{
    return {.id = id, .microBatchSize = 2, .minSteps = 3, .maxSteps = 3, .minSeconds = 0};
}

// Returns a batch that breaks down where a trial does, before the optimizer step.
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
};

/// Explores size 1 in the program batchpeak, with events on stdout.
ProgramRun exploreSize1(const QString& breakdown)
{
    return runProgram(QStringList{QStringLiteral("explore"), examplePath("gpt2-tiny.yaml"),
                                  QStringLiteral("--worker"),
                                  QStringLiteral(BATCHPEAK_BREAKING_WORKER " ") + breakdown} +
                      words("--device cpu --sequence-length 8 --setting 1 --no-verify --events -"));
}

/// Returns the outcomes of the trials in their order, separated by spaces.
QString outcomesOf(const ProgramRun& run)
{
    QStringList outcomes;
    for (const QJsonObject& event : eventsIn(run.out.toUtf8())) {
        if (nameOf(event) == QLatin1String("trial_finished"))
            outcomes.append(event.value(QLatin1String("outcome")).toString());
    }
    return outcomes.join(QLatin1Char(' '));
}

} // namespace

/// Tests the worker after trials in which its device breaks down: whether it answers, continues, or ends, and
/// with which exit code.
class WorkerBreakdownsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithoutAResult_data()
    {
        rows<Text, Text>({{"illegal access", {"illegal-access", "illegal memory access"}},
                          {"index out of range", {"index-out-of-range", "device-side assert"}},
                          {"memory in disguise", {"cublas", "CUBLAS_STATUS_NOT_INITIALIZED"}},
                          {"other devices", {"nccl", "NCCL error"}}});
    }
    void endsWithoutAResult()
    {
        const auto& [breakdown, said] = row<Text, Text>();
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
        QVERIFY(error && error->fatal);
        VERIFY_CONTAINS(error->text, said);
        QCOMPARE(worker.exitCode(), 42);
    }

    void endsDuringAComparison()
    {
        BreakingWorker worker(QStringLiteral("illegal-access"));
        QVERIFY(worker.hear<Loaded>());
        worker.say(CompareRequest{.id = 1, .microBatchSizes = {1, 2}});
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && error->fatal);
        QCOMPARE(worker.exitCode(), 42);
    }

    void endsAfterAComparisonThatLosesMemory()
    {
        BreakingWorker worker(QStringLiteral("lost-memory"));
        QVERIFY(worker.hear<Loaded>());
        const TrialResult result = worker.resultOf(CompareRequest{.id = 1, .microBatchSizes = {1, 2}});
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QVERIFY(result.isLast);
        QCOMPARE(worker.exitCode(), 43);
    }

    void endsAfterATrialThatLosesMemory()
    {
        BreakingWorker worker(QStringLiteral("lost-memory"));
        QVERIFY(worker.hear<Loaded>());
        const TrialResult result = worker.resultOf(quick(1));
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QVERIFY(!result.refusedHostBytes);
        QVERIFY(result.isLast);
        QVERIFY(!worker.hear());
        QCOMPARE(worker.exitCode(), 43);
    }

    void continuesAfterAFailedTrial_data()
    {
        rows<Text, Outcome, bool>({{"too many blocks", {"too-many-blocks", Outcome::Unsupported, false}},
                                   {"main memory", {"host-memory", Outcome::OutOfMemory, true}}});
    }
    void continuesAfterAFailedTrial()
    {
        const auto& [breakdown, outcome, isHostMemory] = row<Text, Outcome, bool>();
        BreakingWorker worker(breakdown);
        QVERIFY(worker.hear<Loaded>());
        const TrialResult broken = worker.resultOf(quick(1));
        QCOMPARE(toText(broken.outcome), toText(outcome));
        QCOMPARE(broken.refusedHostBytes.has_value(), isHostMemory);
        QVERIFY(!broken.isLast);
        const TrialResult next = worker.resultOf(quick(2));
        QCOMPARE(toText(next.outcome), toText(Outcome::Ok));
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

    void endsAfterABatchThatLosesMemory()
    {
        BreakingWorker worker(QStringLiteral("lost-memory"));
        worker.say(TrainingRequest{});
        QVERIFY(worker.hear<TrainingReady>());
        const BatchResult result = worker.resultOf(batch(1));
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QVERIFY(result.isLast);
        QCOMPARE(worker.exitCode(), 43);
    }

    void continuesAfterAFailedBatch_data() { continuesAfterAFailedTrial_data(); }
    void continuesAfterAFailedBatch()
    {
        const auto& [breakdown, outcome, isHostMemory] = row<Text, Outcome, bool>();
        BreakingWorker worker(breakdown);
        worker.say(TrainingRequest{});
        QVERIFY(worker.hear<TrainingReady>());
        const BatchResult broken = worker.resultOf(batch(1));
        QCOMPARE(toText(broken.outcome), toText(outcome));
        QCOMPARE(broken.refusedHostBytes.has_value(), isHostMemory);
        QVERIFY(!broken.isLast);
        const BatchResult again = worker.resultOf(batch(1));
        QCOMPARE(toText(again.outcome), toText(Outcome::Ok));
    }

    void repeatsATrialInAFreshWorker_data()
    {
        rows<Text, Text>({{"illegal access", {"illegal-access", "illegal memory access"}},
                          {"memory in disguise", {"cublas", "CUBLAS_STATUS_NOT_INITIALIZED"}}});
    }
    void repeatsATrialInAFreshWorker()
    {
        const auto& [breakdown, said] = row<Text, Text>();
        const QTemporaryDir folder;
        const ProgramRun run =
            exploreSize1(breakdown + QLatin1Char(' ') + folder.filePath(QStringLiteral("once")));
        QVERIFY2(run.exitCode == 0, run.text());
        QCOMPARE(outcomesOf(run), QStringLiteral("crashed ok"));
        QVERIFY2(run.err.contains(said), run.text());
    }

    void repeatsATrialOnlyOnce()
    {
        const ProgramRun run = exploreSize1(QStringLiteral("cublas"));
        QVERIFY2(run.exitCode == 3, run.text());
        QCOMPARE(outcomesOf(run), QStringLiteral("crashed crashed"));
        QVERIFY2(run.err.contains(QLatin1String("CUBLAS_STATUS_NOT_INITIALIZED")), run.text());
    }

    void refusesAnotherLibtorch()
    {
        qputenv("LD_PRELOAD", BATCHPEAK_ANOTHER_LIBTORCH);
        CpuWorker worker;
        QVERIFY(worker.process.waitForStarted());
        qunsetenv("LD_PRELOAD");
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && error->fatal);
        const QString text = QString::fromStdString(error->text);
        QVERIFY2(text.contains(QStringLiteral("libtorch 2.11.0")) && text.contains(QStringLiteral("2.12.0")),
                 error->text.c_str());
        QCOMPARE(worker.exitCode(), 1);
    }
};

BATCHPEAK_TEST(WorkerBreakdownsTest)
#include "tst_worker_breakdowns.moc"

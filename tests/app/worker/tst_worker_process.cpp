// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "worker_talk.h"

#include <QFile>
#include <QTest>

#include <csignal>

#include <sys/types.h>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

LoadRequest tinyGpt(model::Phase phase = model::Phase::Train, std::int64_t limit = 0)
{
    return {.model = {.family = "gpt2",
                      .architecture = model::DecoderSpec{.vocabularySize = 64,
                                                         .hiddenSize = 16,
                                                         .layers = 2,
                                                         .heads = 2,
                                                         .keyValueHeads = 2,
                                                         .feedForwardSize = 32,
                                                         .maxPositions = 16}},
            .phase = phase,
            .sequenceLength = 16,
            .memoryLimitBytes = limit};
}

TrialRequest quick(std::int64_t id, std::int64_t size)
{
    return {.id = id, .microBatchSize = size, .minSteps = 5, .maxSteps = 5};
}

// One that lasts until it is cancelled.
TrialRequest endless(std::int64_t id)
{
    return {.id = id,
            .microBatchSize = 4,
            .minSteps = 1'000'000,
            .maxSteps = 1'000'000,
            .minSeconds = 3600,
            .timeLimitSeconds = 3600};
}

class Worker : public WorkerTalk
{
public:
    Worker()
        : WorkerTalk(QStringLiteral(BATCHPEAK_WORKER_PROGRAM),
                     {QStringLiteral("--device"), QStringLiteral("cpu")})
    {}

    std::optional<Loaded> load(const LoadRequest& request)
    {
        say(Hello{});
        say(request);
        return hear<Loaded>();
    }
};

// Dead counts as gone even while nobody has asked for its exit code.
bool isAlive(pid_t pid)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!stat.open(QIODevice::ReadOnly))
        return false;
    const QByteArray text = stat.readAll();
    return text.mid(text.lastIndexOf(')') + 2, 1) != "Z";
}

} // namespace

class WorkerProcessTest : public QObject
{
    Q_OBJECT

private slots:
    void runsATrial_data()
    {
        QTest::addColumn<model::Phase>("phase");
        QTest::newRow("train") << model::Phase::Train;
        QTest::newRow("eval") << model::Phase::Eval;
    }
    void runsATrial()
    {
        QFETCH(model::Phase, phase);
        Worker worker;
        worker.say(Hello{});
        const auto hello = worker.hear<WorkerHello>();
        QVERIFY(hello);
        QCOMPARE(hello->protocol, protocolVersion);
        QCOMPARE(hello->device.kind, "cpu");
        QVERIFY(hello->device.totalBytes > 0);

        worker.say(tinyGpt(phase));
        const auto loaded = worker.hear<Loaded>();
        QVERIFY(loaded);
        QVERIFY(loaded->parameters > 0);
        QVERIFY(loaded->baselineBytes >= 4 * loaded->parameters);

        worker.say(quick(7, 3));
        int warmup = 0;
        int timed = 0;
        std::optional<TrialResult> result;
        while (!result) {
            const auto message = worker.hear();
            QVERIFY(message);
            if (const auto* step = std::get_if<Step>(&*message))
                ++(step->phase == StepPhase::Warmup ? warmup : timed);
            else if (const auto* end = std::get_if<TrialResult>(&*message))
                result = *end;
        }
        QCOMPARE(result->id, 7);
        QCOMPARE(result->microBatchSize, 3);
        QCOMPARE(toText(result->outcome), toText(Outcome::Ok));
        QVERIFY(warmup >= 2 && warmup <= 5);
        QCOMPARE(timed, 5);
        QCOMPARE(result->steps, 5);
        QCOMPARE(result->samples, 15);
        QCOMPARE(result->stepSeconds.size(), std::size_t{5});
        QVERIFY(result->relativeError);
        QVERIFY(result->forwardSeconds);
        QCOMPARE(result->backwardSeconds.has_value(), phase == model::Phase::Train);
        QCOMPARE(result->optimizerSeconds.has_value(), phase == model::Phase::Train);
        QVERIFY(result->peakAllocatedBytes > loaded->baselineBytes);
        QVERIFY(result->peakReservedBytes >= result->peakAllocatedBytes);

        worker.say(Bye{});
        QVERIFY(worker.process.waitForFinished());
        QCOMPARE(worker.process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(worker.process.exitCode(), 0);
    }

    void goesOnAfterOutOfMemory()
    {
        std::int64_t limit = 0;
        {
            Worker worker;
            QVERIFY(worker.load(tinyGpt()));
            worker.say(quick(1, 2));
            limit = worker.hear<TrialResult>()->peakReservedBytes;
        }
        Worker worker;
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, limit));
        QVERIFY(loaded);
        QCOMPARE(loaded->limitBytes, limit);
        worker.say(quick(1, 512));
        const auto tooLarge = worker.hear<TrialResult>();
        QVERIFY(tooLarge);
        QCOMPARE(toText(tooLarge->outcome), toText(Outcome::OutOfMemory));
        QVERIFY(tooLarge->peakReservedBytes > limit);
        worker.say(quick(2, 2));
        const auto good = worker.hear<TrialResult>();
        QVERIFY(good);
        QCOMPARE(toText(good->outcome), toText(Outcome::Ok));
    }

    void saysWhatTheNetworkAloneWouldNeed()
    {
        Worker worker;
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, 4096));
        QVERIFY(loaded);
        QCOMPARE(loaded->limitBytes, 4096);
        QVERIFY(loaded->baselineBytes > loaded->limitBytes);
        worker.say(quick(1, 1));
        const auto result = worker.hear<TrialResult>();
        QVERIFY(result);
        QCOMPARE(toText(result->outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(result->peakReservedBytes, loaded->baselineBytes);
        worker.say(tinyGpt());
        const auto fits = worker.hear<Loaded>();
        QVERIFY(fits);
        QVERIFY(fits->baselineBytes < fits->limitBytes);
    }

    void cancelsAndGoesOn()
    {
        Worker worker;
        QVERIFY(worker.load(tinyGpt()));
        worker.say(endless(1));
        QVERIFY(worker.hear<Step>());
        worker.say(Cancel{.id = 1});
        const auto cancelled = worker.hear<TrialResult>();
        QVERIFY(cancelled);
        QCOMPARE(cancelled->id, 1);
        QCOMPARE(toText(cancelled->outcome), toText(Outcome::Cancelled));
        worker.say(quick(2, 2));
        const auto next = worker.hear<TrialResult>();
        QVERIFY(next);
        QCOMPARE(next->id, 2);
        QCOMPARE(toText(next->outcome), toText(Outcome::Ok));
    }

    void endsWithItsInput_data()
    {
        QTest::addColumn<bool>("withinATrial");
        QTest::newRow("idle") << false;
        QTest::newRow("within a trial") << true;
    }
    void endsWithItsInput()
    {
        QFETCH(bool, withinATrial);
        Worker worker;
        QVERIFY(worker.load(tinyGpt()));
        if (withinATrial) {
            worker.say(endless(1));
            QVERIFY(worker.hear<Step>());
        }
        worker.process.closeWriteChannel();
        QVERIFY(worker.process.waitForFinished());
        QCOMPARE(worker.process.exitCode(), 0);
    }

    void diesWithItsParent()
    {
        QProcess parent;
        parent.start(
            QStringLiteral(BATCHPEAK_SHORT_LIVED_PARENT),
            {QStringLiteral(BATCHPEAK_WORKER_PROGRAM), QStringLiteral("--device"), QStringLiteral("cpu")});
        QVERIFY(parent.waitForStarted());
        parent.write(QByteArray::fromStdString(toLine(ParentMessage(Hello{}))));
        // Its hello comes after it has bound itself to its parent.
        QVERIFY(parent.waitForReadyRead(60'000));
        QByteArray told = parent.readAllStandardError();
        QVERIFY(told.startsWith("child "));
        const pid_t worker = told.mid(6, told.indexOf('\n') - 6).toInt();
        QVERIFY(isAlive(worker));

        // The test still holds the worker's standard input open: only the parent's death tells it.
        kill(static_cast<pid_t>(parent.processId()), SIGKILL);
        QTRY_VERIFY(!isAlive(worker));
        parent.waitForFinished();
    }

    void ignoresTheTerminalsInterrupt()
    {
        Worker worker;
        QVERIFY(worker.load(tinyGpt()));
        kill(static_cast<pid_t>(worker.process.processId()), SIGINT);
        worker.say(quick(1, 1));
        QVERIFY(worker.hear<TrialResult>());
    }

    void answersNonsenseAndGoesOn_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("named");
        QTest::newRow("no JSON") << QByteArray("help\n") << QStringLiteral("not JSON");
        QTest::newRow("bytes") << QByteArray("\xff\x00\x01\n", 4) << QStringLiteral("not JSON");
        QTest::newRow("unknown type") << QByteArray("{\"type\":\"dance\"}\n") << QStringLiteral("dance");
        QTest::newRow("endless line") << QByteArray(3 << 20, 'x') + '\n' << QStringLiteral("bytes long");
        QTest::newRow("load before hello")
            << QByteArray::fromStdString(toLine(ParentMessage(tinyGpt()))) << QStringLiteral("after hello");
        QTest::newRow("trial before load") << QByteArray::fromStdString(toLine(ParentMessage(quick(1, 1))))
                                           << QStringLiteral("after a load");
        QTest::newRow("impossible network")
            << QByteArray("{\"type\":\"hello\",\"protocol\":1}\n"
                          "{\"type\":\"load\",\"model\":{\"family\":\"gpt2\"},\"sequence_length\":8}\n")
            << QStringLiteral("at least 1");
        QTest::newRow("cancel of nothing, then nonsense")
            << QByteArray("{\"type\":\"cancel\",\"id\":3}\n{}\n") << QStringLiteral("\"type\"");
    }
    void answersNonsenseAndGoesOn()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, named);
        Worker worker;
        worker.sayLine(line);
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error);
        QVERIFY(!error->fatal);
        QVERIFY2(QString::fromStdString(error->text).contains(named), error->text.c_str());
        QVERIFY(worker.load(tinyGpt()));
    }

    void keepsPrintsOutOfTheProtocol()
    {
        WorkerTalk printing(QStringLiteral(BATCHPEAK_PRINTING_PROGRAM), {});
        const auto hello = printing.hear();
        QVERIFY(hello);
        QVERIFY(std::holds_alternative<WorkerHello>(*hello));
        QVERIFY(printing.hear<Log>());
        QVERIFY(printing.process.state() == QProcess::NotRunning || printing.process.waitForFinished());
        QCOMPARE(printing.process.readAllStandardError().count("printed"), 3);
    }

    void endsWhereItCannotWork_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("another protocol")
            << QStringList() << QByteArray("{\"type\":\"hello\",\"protocol\":2}\n");
        QTest::newRow("unknown device")
            << QStringList({QStringLiteral("--device"), QStringLiteral("tpu")}) << QByteArray();
        QTest::newRow("unknown option") << QStringList(QStringLiteral("--fast")) << QByteArray();
        QTest::newRow("no such GPU") << QStringList(QStringLiteral("--device=cuda:99")) << QByteArray();
    }
    void endsWhereItCannotWork()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, line);
        WorkerTalk worker(QStringLiteral(BATCHPEAK_WORKER_PROGRAM), arguments);
        if (!line.isEmpty())
            worker.sayLine(line);
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error);
        QVERIFY(error->fatal);
        QVERIFY(QString::fromStdString(error->text).endsWith(QLatin1Char('.')));
        QVERIFY(worker.process.state() == QProcess::NotRunning || worker.process.waitForFinished());
        QCOMPARE(worker.process.exitCode(), 1);
    }
};

BATCHPEAK_TEST(WorkerProcessTest)
#include "tst_worker_process.moc"

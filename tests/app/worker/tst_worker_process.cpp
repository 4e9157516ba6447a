// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/processes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "worker_talk.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

TrialRequest quick(std::int64_t id, std::int64_t size)
{
    return {.id = id, .microBatchSize = size, .minSteps = 5, .maxSteps = 5};
}

// Returns a trial that lasts until it is canceled.
TrialRequest endless(std::int64_t id)
{
    return {.id = id,
            .microBatchSize = 4,
            .minSteps = 1'000'000,
            .maxSteps = 1'000'000,
            .minSeconds = 3600,
            .timeLimitSeconds = 3600};
}

} // namespace

class WorkerProcessTest : public QObject
{
    Q_OBJECT

private slots:
    void saysThatItIsThere()
    {
        CpuWorker worker;
        worker.say(Hello{.heartbeatSeconds = 0.1});
        QVERIFY(worker.hear<WorkerHello>());
        for (int beat = 0; beat < 3; ++beat) {
            worker.say(Heartbeat{});
            QVERIFY(worker.hear<Heartbeat>());
        }
        // A link that is cut reports no end of the input.
        QCOMPARE(worker.exitCode(), 0);
    }

    void runsATrial_data()
    {
        rows<model::Phase>({{"train", model::Phase::Train}, {"eval", model::Phase::Eval}});
    }
    void runsATrial()
    {
        const auto& phase = row<model::Phase>();
        CpuWorker worker;
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
        QCOMPARE(worker.exitCode(), 0);
    }

    void compares_data() { runsATrial_data(); }
    void compares()
    {
        const auto& phase = row<model::Phase>();
        CpuWorker worker;
        QVERIFY(worker.load(tinyGpt(phase)));
        const CompareRequest request{.id = 8, .microBatchSizes = {3, 1, 2}, .visits = 2, .steps = 2};
        worker.say(request);
        int timed = 0;
        std::optional<TrialResult> result;
        while (!result) {
            const auto message = worker.hear();
            QVERIFY(message);
            if (const auto* step = std::get_if<Step>(&*message))
                timed += step->phase == StepPhase::Timed ? 1 : 0;
            else if (const auto* end = std::get_if<TrialResult>(&*message))
                result = *end;
        }
        QCOMPARE(toText(result->outcome), toText(Outcome::Ok));
        QCOMPARE(result->id, 8);
        QCOMPARE(timed, 3 * 2 * 2);
        QCOMPARE(result->optimizerSeconds.has_value(), phase == model::Phase::Train);
        QVERIFY(result->readings.processorShare);
        QCOMPARE(result->compared.size(), std::size_t{3});
        std::vector<Visit> visits;
        for (std::size_t place = 0; place < 3; ++place) {
            const ComparedSize& size = result->compared[place];
            QCOMPARE(size.microBatchSize, request.microBatchSizes[place]);
            QCOMPARE(size.allocationRetries, 0);
            QCOMPARE(size.visits.size(), std::size_t{2});
            for (const Visit& visit : size.visits)
                QCOMPARE(visit.stepSeconds.size(), std::size_t{2});
            visits.push_back(size.visits[0]);
        }
        for (std::size_t place = 3; place-- > 0;)
            visits.push_back(result->compared[place].visits[1]);
        for (std::size_t i = 1; i < visits.size(); ++i)
            QVERIFY(visits[i].clockSeconds >= visits[i - 1].clockSeconds + visits[i - 1].seconds);

        const TrialResult after = worker.resultOf(quick(9, 2));
        QVERIFY(*after.clockSeconds >= visits.back().clockSeconds + visits.back().seconds);
        // The peak of a size does not depend on the sizes that ran previously.
        QVERIFY(result->compared[0].peakReservedBytes > result->compared[2].peakReservedBytes);
        QCOMPARE(result->compared[2].peakReservedBytes, after.peakReservedBytes);
    }

    void endsAComparisonAtASizeThatDoesNotFit()
    {
        CpuWorker worker;
        QVERIFY(worker.load(tinyGpt(model::Phase::Train, std::int64_t{8} << 20)));
        const TrialResult result = worker.resultOf(CompareRequest{.id = 8, .microBatchSizes = {2, 4096}});
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(result.microBatchSize, 4096);
        QVERIFY(result.peakReservedBytes > std::int64_t{8} << 20);
        QVERIFY(result.compared.front().peakReservedBytes > 0);
        QVERIFY(!result.isLast);
        const TrialResult next = worker.resultOf(CompareRequest{.id = 9, .microBatchSizes = {1, 2}});
        QCOMPARE(toText(next.outcome), toText(Outcome::Ok));
    }

    void cancelsAComparison()
    {
        CpuWorker worker;
        QVERIFY(worker.load(tinyGpt()));
        worker.say(CompareRequest{
            .id = 1, .microBatchSizes = {4, 2}, .visits = 1'000'000, .timeLimitSeconds = 3600});
        QVERIFY(worker.hear<Step>());
        worker.say(Cancel{.id = 1});
        const auto cancelled = worker.hear<TrialResult>();
        QVERIFY(cancelled);
        QCOMPARE(toText(cancelled->outcome), toText(Outcome::Cancelled));
        const TrialResult next = worker.resultOf(quick(2, 2));
        QCOMPARE(toText(next.outcome), toText(Outcome::Ok));
    }

    void speaksTheVersionOfTheHello_data()
    {
        rows<int, int>(
            {{"the first", {1, 1}}, {"the second", {2, 2}}, {"its own", {3, 3}}, {"a newer one", {4, 3}}});
    }
    void speaksTheVersionOfTheHello()
    {
        const auto& [greeted, spoken] = row<int, int>();
        CpuWorker worker;
        worker.say(Hello{.protocol = greeted});
        const auto hello = worker.hear<WorkerHello>();
        QVERIFY(hello);
        QCOMPARE(hello->protocol, spoken);
        worker.say(tinyGpt());
        QCOMPARE(worker.resultOf(quick(1, 2)).clockSeconds.has_value(), spoken >= 2);
        worker.say(CompareRequest{.id = 2, .microBatchSizes = {1, 2}});
        std::optional<WorkerMessage> answer = worker.hear();
        while (answer && std::holds_alternative<Step>(*answer))
            answer = worker.hear();
        QVERIFY(answer);
        QCOMPARE(std::holds_alternative<TrialResult>(*answer), spoken >= 2);
        QCOMPARE(std::holds_alternative<WorkerError>(*answer), spoken < 2);
    }

    void continuesAfterOutOfMemory()
    {
        std::int64_t limit = 0;
        {
            CpuWorker worker;
            QVERIFY(worker.load(tinyGpt()));
            worker.say(quick(1, 2));
            limit = worker.hear<TrialResult>()->peakReservedBytes;
        }
        CpuWorker worker;
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, limit));
        QVERIFY(loaded);
        QCOMPARE(loaded->limitBytes, limit);
        const TrialResult tooLarge = worker.resultOf(quick(1, 512));
        QCOMPARE(toText(tooLarge.outcome), toText(Outcome::OutOfMemory));
        QVERIFY(tooLarge.peakReservedBytes > limit);
        const TrialResult good = worker.resultOf(quick(2, 2));
        QCOMPARE(toText(good.outcome), toText(Outcome::Ok));
    }

    void reportsTheMemoryOfTheNetworkAlone()
    {
        CpuWorker worker;
        const auto loaded = worker.load(tinyGpt(model::Phase::Train, 4096));
        QVERIFY(loaded);
        QCOMPARE(loaded->limitBytes, 4096);
        QVERIFY(loaded->baselineBytes > loaded->limitBytes);
        const TrialResult result = worker.resultOf(quick(1, 1));
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(result.peakReservedBytes, loaded->baselineBytes);
        const TrialResult compared = worker.resultOf(CompareRequest{.id = 2, .microBatchSizes = {1, 2}});
        QCOMPARE(toText(compared.outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(compared.microBatchSize, 1);
        QCOMPARE(compared.peakReservedBytes, loaded->baselineBytes);
        worker.say(tinyGpt());
        const auto fits = worker.hear<Loaded>();
        QVERIFY(fits);
        QVERIFY(fits->baselineBytes < fits->limitBytes);
    }

    void cancelsATrialAndContinues()
    {
        CpuWorker worker;
        QVERIFY(worker.load(tinyGpt()));
        worker.say(endless(1));
        QVERIFY(worker.hear<Step>());
        worker.say(Cancel{.id = 1});
        const auto cancelled = worker.hear<TrialResult>();
        QVERIFY(cancelled);
        QCOMPARE(cancelled->id, 1);
        QCOMPARE(toText(cancelled->outcome), toText(Outcome::Cancelled));
        const TrialResult next = worker.resultOf(quick(2, 2));
        QCOMPARE(next.id, 2);
        QCOMPARE(toText(next.outcome), toText(Outcome::Ok));
    }

    void endsWhenItsInputEnds_data() { rows<bool>({{"idle", false}, {"within a trial", true}}); }
    void endsWhenItsInputEnds()
    {
        const auto& withinATrial = row<bool>();
        CpuWorker worker;
        QVERIFY(worker.load(tinyGpt()));
        if (withinATrial) {
            worker.say(endless(1));
            QVERIFY(worker.hear<Step>());
        }
        worker.process.closeWriteChannel();
        QCOMPARE(worker.exitCode(), 0);
    }

    void diesWithItsParent()
    {
        QProcess parent;
        parent.start(
            QStringLiteral(BATCHPEAK_SHORT_LIVED_PARENT),
            {QStringLiteral(BATCHPEAK_WORKER_PROGRAM), QStringLiteral("--device"), QStringLiteral("cpu")});
        QVERIFY(parent.waitForStarted());
        parent.write(QByteArray::fromStdString(toLine(ParentMessage(Hello{}))));
        // The worker sends its hello after it has asked the kernel to kill it when its parent dies.
        QVERIFY(parent.waitForReadyRead(60'000));
        QByteArray told = parent.readAllStandardError();
        QVERIFY(told.startsWith("child "));
        const qint64 worker = told.mid(6, told.indexOf('\n') - 6).toLongLong();
        QVERIFY(test::isAlive(worker));

        // The test still holds the worker's standard input open, so only the death of the parent ends it.
        test::sendSignal(parent.processId(), SIGKILL);
        TRY_VERIFY(!test::isAlive(worker));
        parent.waitForFinished();
    }

    // A terminal, a connection or a container that ends sends these signals to all of its processes.
    void leavesEndSignalsToItsParent_data()
    {
        rows<int>({{"Ctrl-C", SIGINT}, {"terminated", SIGTERM}, {"hung up", SIGHUP}});
    }
    void leavesEndSignalsToItsParent()
    {
        CpuWorker worker;
        QVERIFY(worker.load(tinyGpt()));
        test::sendSignal(worker.process.processId(), row<int>());
        worker.say(quick(1, 1));
        QVERIFY(worker.hear<TrialResult>());
    }

    void answersNonsenseAndContinues_data()
    {
        rows<QByteArray, Text>(
            {{"no JSON", {"help\n", "not JSON"}},
             {"bytes", {QByteArray("\xff\x00\x01\n", 4), "not JSON"}},
             {"unknown type", {"{\"type\":\"dance\"}\n", "dance"}},
             {"endless line", {QByteArray(3 << 20, 'x') + '\n', "bytes long"}},
             {"load before hello",
              {QByteArray::fromStdString(toLine(ParentMessage(tinyGpt()))), "after hello"}},
             {"trial before load",
              {QByteArray::fromStdString(toLine(ParentMessage(quick(1, 1)))), "after a load"}},
             {"comparison before hello",
              {"{\"type\":\"compare\",\"id\":1,\"micro_batch_sizes\":[1,2]}\n", "version 2"}},
             {"comparison before load",
              {"{\"type\":\"hello\",\"protocol\":2}\n"
               "{\"type\":\"compare\",\"id\":1,\"micro_batch_sizes\":[1,2]}\n",
               "after a load"}},
             {"impossible network",
              {"{\"type\":\"hello\",\"protocol\":1}\n"
               "{\"type\":\"load\",\"model\":{\"family\":\"gpt2\"},\"sequence_length\":8}\n",
               "at least 1"}},
             {"cancel of nothing, then nonsense", {"{\"type\":\"cancel\",\"id\":3}\n{}\n", "\"type\""}}});
    }
    void answersNonsenseAndContinues()
    {
        const auto& [line, named] = row<QByteArray, Text>();
        CpuWorker worker;
        worker.sayLine(line);
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && !error->fatal);
        VERIFY_CONTAINS(error->text, named);
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

    void refusesInvalidArguments_data()
    {
        rows<Text>({{"unknown device", "--device tpu"},
                    {"unknown option", "--fast"},
                    {"no such GPU", "--device=cuda:99"}});
    }
    void refusesInvalidArguments()
    {
        WorkerTalk worker(QStringLiteral(BATCHPEAK_WORKER_PROGRAM),
                          row<Text>().split(QLatin1Char(' '), Qt::SkipEmptyParts));
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && error->fatal);
        QVERIFY(QString::fromStdString(error->text).endsWith(QLatin1Char('.')));
        QCOMPARE(worker.exitCode(), 1);
    }

    // libtorch would wait forever for threads that cannot start.
    void reportsThreadsThatCannotStart()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("A sanitizer needs more address space than this leaves.");
#endif
        // Each thread has a stack of 8 GiB in an address space of 12 GiB: in addition to libtorch, there is
        // room for one thread, which reads messages.
        const QString limits = QStringLiteral("ulimit -s 8388608 && ulimit -v 12582912 && exec ");
        WorkerTalk worker(
            QStringLiteral("/bin/sh"),
            {QStringLiteral("-c"), limits + QStringLiteral(BATCHPEAK_WORKER_PROGRAM " --device cpu")},
            {QStringLiteral("OMP_NUM_THREADS=4")});
        worker.say(Hello{});
        const auto error = worker.hear<WorkerError>();
        QVERIFY(error && error->fatal);
        VERIFY_CONTAINS(error->text, "could not make");
        VERIFY_CONTAINS(error->text, "--pids-limit");
        QCOMPARE(worker.exitCode(), 1);
    }
};

BATCHPEAK_TEST(WorkerProcessTest)
#include "tst_worker_process.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "worker_talk.h"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace batchpeak;
using namespace batchpeak::trial;

namespace {

// Sizes up to 8 fit, and size 13 loses the device. The script prints, as user scripts do.
const char* const script = R"(
import sys
sys.path.insert(0, sys.argv[1])
from batchpeak_trial import serve

def step(micro_batch_size):
    print("step of", micro_batch_size)
    if micro_batch_size == 13:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    if micro_batch_size > 8:
        raise RuntimeError("CUDA out of memory.")
    sum(range(20000 * micro_batch_size))

sys.exit(serve(step, peak_bytes=lambda: 4096, parameters=12))
)";

} // namespace

/// Tests the package batchpeak_trial as a user's script runs it.
class TrialScriptTest : public QObject
{
    Q_OBJECT

    QString m_python;
    QTemporaryDir m_folder;

    WorkerTalk* start()
    {
        return new WorkerTalk(m_python, {m_folder.filePath(QStringLiteral("train.py")),
                                         QStringLiteral(BATCHPEAK_SOURCE_DIR "/python")});
    }
    std::unique_ptr<WorkerTalk> startLoaded(int protocol = protocolVersion)
    {
        std::unique_ptr<WorkerTalk> talk(start());
        talk->say(Hello{.protocol = protocol});
        talk->say(LoadRequest{.model = {.family = "own"}, .sequenceLength = 1});
        return talk->hear<Loaded>() ? std::move(talk) : nullptr;
    }

private slots:
    void initTestCase()
    {
        m_python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (m_python.isEmpty())
            QSKIP("There is no python3 on this computer.");
        QFile file(m_folder.filePath(QStringLiteral("train.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(script) > 0);
    }

    void runsTrials()
    {
        std::unique_ptr<WorkerTalk> talk(start());
        talk->say(Hello{});
        const auto hello = talk->hear<WorkerHello>();
        QVERIFY(hello);
        QCOMPARE(hello->program, "train.py");
        talk->say(LoadRequest{.model = {.family = "own"}, .sequenceLength = 1});
        const auto loaded = talk->hear<Loaded>();
        QVERIFY(loaded);
        QCOMPARE(loaded->parameters, 12);

        const TrialResult good =
            talk->resultOf(TrialRequest{.id = 3, .microBatchSize = 8, .minSteps = 4, .maxSteps = 4});
        QCOMPARE(toText(good.outcome), toText(Outcome::Ok));
        QCOMPARE(good.id, 3);
        QCOMPARE(good.steps, 4);
        QCOMPARE(good.stepSeconds.size(), std::size_t{4});
        QCOMPARE(good.peakReservedBytes, 4096);
        QVERIFY(good.clockSeconds);

        const TrialResult tooLarge = talk->resultOf(TrialRequest{.id = 4, .microBatchSize = 9});
        QCOMPARE(toText(tooLarge.outcome), toText(Outcome::OutOfMemory));

        talk->say(Bye{});
        QCOMPARE(talk->exitCode(), 0);
    }

    void compares()
    {
        const auto talk = startLoaded();
        QVERIFY(talk);
        const CompareRequest request{
            .id = 5, .microBatchSizes = {8, 2, 4}, .visits = 3, .steps = 2, .untimedSteps = 1};
        const TrialResult result = talk->resultOf(request);
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        QCOMPARE(result.id, 5);
        QCOMPARE(result.compared.size(), std::size_t{3});
        for (std::size_t place = 0; place < 3; ++place) {
            const ComparedSize& size = result.compared[place];
            QCOMPARE(size.microBatchSize, request.microBatchSizes[place]);
            QCOMPARE(size.peakReservedBytes, 4096);
            QCOMPARE(size.visits.size(), std::size_t{3});
            for (const Visit& visit : size.visits) {
                QCOMPARE(visit.stepSeconds.size(), std::size_t{2});
                QVERIFY(visit.seconds >= visit.stepSeconds[0] + visit.stepSeconds[1]);
            }
        }
        const TrialResult after = talk->resultOf(TrialRequest{.id = 6, .microBatchSize = 8});
        const Visit& last = result.compared[2].visits.back();
        QVERIFY(*after.clockSeconds >= last.clockSeconds + last.seconds);

        talk->say(Bye{});
        QCOMPARE(talk->exitCode(), 0);
        // Each size first takes three steps; then visits of three steps go forward, back and forward again.
        QByteArray steps = talk->process.readAllStandardError();
        steps.replace("step of ", "")
            .replace("\n", "")
            .replace("888", "8")
            .replace("222", "2")
            .replace("444", "4");
        QVERIFY2(steps.startsWith("824824428824"), steps.constData());
    }

    void endsAComparisonAtASizeThatDoesNotFit()
    {
        const auto talk = startLoaded();
        QVERIFY(talk);
        const TrialResult result = talk->resultOf(CompareRequest{.id = 5, .microBatchSizes = {8, 9}});
        QCOMPARE(toText(result.outcome), toText(Outcome::OutOfMemory));
        QCOMPARE(result.microBatchSize, 9);
        QCOMPARE(result.compared.size(), std::size_t{2});
        const TrialResult next = talk->resultOf(CompareRequest{.id = 6, .microBatchSizes = {8, 7}});
        QCOMPARE(toText(next.outcome), toText(Outcome::Ok));
    }

    void agreesOnTheHighestCommonVersion_data()
    {
        rows<int, int>(
            {{"the first", {1, 1}}, {"the second", {2, 2}}, {"its own", {3, 3}}, {"a newer one", {4, 3}}});
    }
    void agreesOnTheHighestCommonVersion()
    {
        const auto& [greeted, spoken] = row<int, int>();
        const std::unique_ptr<WorkerTalk> talk(start());
        talk->say(Hello{.protocol = greeted});
        const auto hello = talk->hear<WorkerHello>();
        QVERIFY(hello);
        QCOMPARE(hello->protocol, spoken);
    }

    void sendsNothingOfVersion2ToAParentOfVersion1()
    {
        const auto talk = startLoaded(1);
        QVERIFY(talk);
        const TrialResult result = talk->resultOf(TrialRequest{.id = 1, .microBatchSize = 8});
        QCOMPARE(toText(result.outcome), toText(Outcome::Ok));
        QVERIFY(!result.clockSeconds);
        talk->say(CompareRequest{.id = 2, .microBatchSizes = {1, 2}});
        const auto error = talk->hear<WorkerError>();
        QVERIFY(error && !error->fatal);
    }

    void endsWhenTheDeviceIsLost_data()
    {
        rows<ParentMessage>({{"trial", TrialRequest{.id = 1, .microBatchSize = 13}},
                             {"comparison", CompareRequest{.id = 1, .microBatchSizes = {8, 13}}}});
    }
    void endsWhenTheDeviceIsLost()
    {
        const auto talk = startLoaded();
        QVERIFY(talk);
        talk->say(row<ParentMessage>());
        const auto error = talk->hear<WorkerError>();
        QVERIFY(error && error->fatal);
        QCOMPARE(talk->exitCode(), 42);
    }

    void cancels_data()
    {
        rows<ParentMessage>(
            {{"a trial", TrialRequest{.id = 1,
                                      .microBatchSize = 1,
                                      .minSteps = 1'000'000,
                                      .maxSteps = 1'000'000,
                                      .timeLimitSeconds = 3600}},
             {"a comparison",
              CompareRequest{
                  .id = 1, .microBatchSizes = {1, 2}, .visits = 1'000'000, .timeLimitSeconds = 3600}}});
    }
    void cancels()
    {
        const auto talk = startLoaded();
        QVERIFY(talk);
        talk->say(row<ParentMessage>());
        QVERIFY(talk->hear<Step>());
        talk->say(Cancel{.id = 1});
        const auto result = talk->hear<TrialResult>();
        QVERIFY(result);
        QCOMPARE(toText(result->outcome), toText(Outcome::Cancelled));
    }

    void endsWhenItsInputEnds()
    {
        const auto talk = startLoaded();
        QVERIFY(talk);
        talk->process.closeWriteChannel();
        QCOMPARE(talk->exitCode(), 0);
    }

    void answersNonsenseAndContinues()
    {
        const std::unique_ptr<WorkerTalk> talk(start());
        for (const char* line :
             {"help\n", "[]\n", "{\"type\":\"dance\"}\n", "{\"type\":\"trial\",\"id\":1}\n"}) {
            talk->sayLine(line);
            const auto error = talk->hear<WorkerError>();
            QVERIFY(error && !error->fatal);
        }
        talk->say(Hello{});
        QVERIFY(talk->hear<WorkerHello>());
    }
};

BATCHPEAK_TEST(TrialScriptTest)
#include "tst_trial_script.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "trial/trial_record.h"
#include "workers/device_runner.h"

#include <QFileInfo>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <vector>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::DeviceRunner;
using trial::Outcome;

namespace {

trial::CompareRequest comparison(std::int64_t id = 8)
{
    return {.id = id, .microBatchSizes = {24, 28, 32}, .visits = 2, .steps = 3, .timeLimitSeconds = 20.0};
}

} // namespace

/// Tests comparisons on one device, and the negotiation of the protocol version that they need.
class ComparisonsTest : public QObject
{
    Q_OBJECT

    struct End
    {
        trial::TrialResult result;
        bool workerLost = false;
    };

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<DeviceRunner> m_runner;
    std::vector<End> m_ends;
    std::vector<trial::Step> m_steps;
    QStringList m_log;
    int m_ready = 0;

    engine::DeviceSetup setupFor(const QString& words) const
    {
        QStringList command = QProcess::splitCommand(test::fakeWorkerCommand(words, *m_folder));
        engine::DeviceSetup setup{.id = QStringLiteral("cpu"),
                                  .command = {.program = command.takeFirst(), .arguments = command},
                                  .load = {.model = {.family = "gpt2"}, .sequenceLength = 1}};
        setup.memoryKills = [] { return device::MemoryKills("/nowhere"); };
        setup.timeouts.terminate = 50ms;
        return setup;
    }

    void make(const engine::DeviceSetup& setup)
    {
        m_runner = std::make_unique<DeviceRunner>(setup);
        connect(m_runner.get(), &DeviceRunner::ready, this, [this] { ++m_ready; });
        connect(m_runner.get(), &DeviceRunner::stepTaken, this,
                [this](const trial::Step& step) { m_steps.push_back(step); });
        connect(m_runner.get(), &DeviceRunner::trialEnded, this,
                [this](const trial::TrialResult& result, bool lost) {
                    m_ends.push_back({result, lost});
                });
        connect(m_runner.get(), &DeviceRunner::logged, this,
                [this](engine::LogLevel, const QString& text) { m_log.append(text); });
    }

    bool becomesReady(const engine::DeviceSetup& setup)
    {
        make(setup);
        m_runner->start();
        return QTest::qWaitFor([this] { return m_ready == 1 || m_runner->hasEnded(); }, 20'000) &&
               m_ready == 1;
    }
    bool becomesReady(const QString& words) { return becomesReady(setupFor(words)); }

    bool endsAfter(const trial::CompareRequest& request)
    {
        const std::size_t before = m_ends.size();
        m_runner->compare(request);
        return QTest::qWaitFor([&] { return m_ends.size() > before; }, 20'000);
    }

    qint64 starts() const { return QFileInfo(m_folder->filePath(QStringLiteral("starts"))).size(); }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_ends.clear();
        m_steps.clear();
        m_log.clear();
        m_ready = 0;
    }
    void cleanup() { m_runner.reset(); }

    void agreesOnAVersion_data()
    {
        rows<Text, bool, int, Text>(
            {{"the newest", {"", true, 1, ""}},
             {"answers with an older one", {"protocol=older", false, 1, ""}},
             {"refuses in words", {"protocol=complain", false, 2, "speaks version 1 alone."}},
             {"refuses, and does not go", {"protocol=complain ignore-end", false, 2, "asked for version 1"}},
             {"exits", {"protocol=exit", false, 2, "ended with exit code 1."}},
             {"answers with a newer one", {"protocol=newer", false, 2, "speaks version 4"}}});
    }
    void agreesOnAVersion()
    {
        const auto& [words, compares, processes, said] = row<Text, bool, int, Text>();
        engine::DeviceSetup setup = setupFor(words + QStringLiteral(" starts"));
        if (words.contains(QLatin1String("ignore")))
            setup.timeouts.quit = 50ms;
        QVERIFY(becomesReady(setup));
        QCOMPARE(m_runner->canCompare(), compares);
        QCOMPARE(starts(), processes);
        VERIFY_CONTAINS(m_log.join(QLatin1Char('\n')), said);
        QCOMPARE(m_log.size(), said.isEmpty() ? 0 : 1);
        QCOMPARE(m_runner->snapshot().restarts, 0);
        QVERIFY(m_runner->problem().isEmpty());
    }

    void remembersTheVersion()
    {
        QVERIFY(becomesReady(QStringLiteral("protocol=exit starts")));
        m_runner->renew();
        TRY_COMPARE(m_ready, 2);
        QCOMPARE(starts(), 3);
        QVERIFY(!m_runner->canCompare());
    }

    // The requests were chosen for the version that the first process spoke.
    void givesUpAProgramThatDropsAVersion()
    {
        QVERIFY(becomesReady(QStringLiteral("protocol=older starts after=1")));
        QVERIFY(m_runner->canCompare());
        m_runner->renew();
        TRY_VERIFY(m_runner->isGivenUp());
        VERIFY_CONTAINS(m_runner->problem(),
                        "speaks version 1 of the trial protocol, where one before it spoke");
    }

    // A program that has spoken once does not exit because of the version.
    void keepsTheVersionIfARestartFails()
    {
        QVERIFY(becomesReady(QStringLiteral("start=exit starts after=1 until=2")));
        m_runner->renew();
        TRY_COMPARE(m_ready, 2);
        QCOMPARE(starts(), 3);
        QVERIFY(m_runner->canCompare());
    }

    // A start is tried twice. Each time, an exit may be due to the version, so an older one is tried too.
    void givesUpAWorkerThatNeverStarts_data()
    {
        rows<Text, int, Text>({{"exits", {"start=exit", 4, "exit code 7"}},
                               {"says why", {"start=refuse", 4, "refuses to start"}},
                               {"speaks another version alone", {"start=new-version", 4, "speaks version 4"}},
                               {"speaks otherwise", {"start=garbage", 2, "trial protocol"}},
                               {"is killed", {"start=kill", 2, "ended by signal 9"}}});
    }
    void givesUpAWorkerThatNeverStarts()
    {
        const auto& [words, processes, said] = row<Text, int, Text>();
        make(setupFor(words + QStringLiteral(" starts")));
        m_runner->start();
        TRY_VERIFY(m_runner->isGivenUp());
        QCOMPARE(starts(), processes);
        VERIFY_CONTAINS(m_runner->problem(), said);
    }

    void endsWhileAVersionIsRefused_data()
    {
        rows<Text>({{"in words", "protocol=complain"}, {"by an exit", "protocol=exit"}});
    }
    void endsWhileAVersionIsRefused()
    {
        make(setupFor(row<Text>() + QStringLiteral(" starts")));
        connect(m_runner.get(), &DeviceRunner::logged, m_runner.get(), &DeviceRunner::end);
        m_runner->start();
        TRY_VERIFY(m_runner->hasEnded());
        QCOMPARE(m_ready, 0);
        QVERIFY(m_runner->snapshot().workerPid == 0);
        QVERIFY(starts() <= 2);
    }

    void requestsNoComparisonFromAnOlderProgram()
    {
        QVERIFY(becomesReady(QStringLiteral("protocol=older")));
        m_runner->compare(comparison());
        QVERIFY(m_runner->isFree());
        m_runner->runTrial({.id = 9, .microBatchSize = 4});
        TRY_COMPARE(m_ends.size(), std::size_t{1});
        QVERIFY(m_ends.front().result.outcome == Outcome::Ok);
        QVERIFY(!m_ends.front().result.clockSeconds);
    }

    void compares()
    {
        QVERIFY(becomesReady(QString()));
        QVERIFY(endsAfter(comparison()));
        const auto [result, lost] = m_ends.front();
        QVERIFY(!lost);
        QVERIFY(result.outcome == Outcome::Ok);
        QCOMPARE(result.id, 8);
        QCOMPARE(result.microBatchSize, 0);
        QCOMPARE(result.compared.size(), std::size_t{3});
        const auto clock = [&result](std::size_t size, std::size_t visit) {
            return result.compared[size].visits[visit].clockSeconds;
        };
        QVERIFY(clock(0, 0) < clock(1, 0) && clock(1, 0) < clock(2, 0) && clock(2, 0) < clock(2, 1));
        QVERIFY(clock(2, 1) < clock(1, 1) && clock(1, 1) < clock(0, 1));
        QCOMPARE(m_steps.size(), std::size_t{3 * 2 * (1 + 3)});
        QCOMPARE(m_runner->trialsOfWorker(), 1);

        m_runner->runTrial({.id = 9, .microBatchSize = 4});
        TRY_COMPARE(m_ends.size(), std::size_t{2});
        QVERIFY(m_ends.back().result.outcome == Outcome::Ok);
        QVERIFY(*m_ends.back().result.clockSeconds > clock(0, 1));
    }

    void reportsEveryOutcome_data()
    {
        const auto add = rows<Text, Outcome, bool, std::int64_t, Text>();
        add("thrashes", {"compare=thrash@28", Outcome::Ok, false, 0, ""});
        add("disturbed", {"compare=disturbed@28", Outcome::Ok, false, 0, ""});
        add("out of memory", {"slope=65000000", Outcome::OutOfMemory, false, 28, ""});
        add("out of memory, as told", {"compare=oom@28", Outcome::OutOfMemory, false, 28, ""});
        add("memory stays lost", {"compare=lost-memory@28", Outcome::OutOfMemory, false, 28, ""});
        add("failed", {"compare=failed@28", Outcome::Failed, false, 28, ""});
        add("unsupported", {"compare=unsupported@24", Outcome::Unsupported, false, 24, ""});
        add("took too long", {"compare=timeout@32", Outcome::Timeout, false, 32, ""});
        add("is killed during a visit", {"compare=kill@28", Outcome::Crashed, true, 0, "signal 9"});
        add("aborts", {"compare=abort@32", Outcome::Crashed, true, 0, "signal 6"});
        add("exits", {"compare=exit@28", Outcome::Crashed, true, 0, "exit code 1"});
        add("device error", {"compare=exit42@28", Outcome::Crashed, true, 0, "only a fresh process clears"});
        add("garbage", {"compare=garbage@28", Outcome::Crashed, true, 0, "does not keep to"});
        add("wrong id", {"compare=wrong-id@28", Outcome::Crashed, true, 0, "answered trial 1008"});
        add("a size that was not asked for",
            {"compare=wrong-size@28", Outcome::Crashed, true, 0, "compared a size of 1032"});
        add("ended by another size",
            {"compare=wrong-end@28", Outcome::Crashed, true, 0, "with a size of 1032"});
        add("a size too few",
            {"compare=missing-size@28", Outcome::Crashed, true, 0, "compared 2 sizes where 3"});
        add("a visit too few", {"compare=missing-visit@28", Outcome::Crashed, true, 0, "lacks visits"});
        add("a visit of each too few",
            {"compare=missing-visits@28", Outcome::Crashed, true, 0, "visited size 24 1 times where 2"});
        add("a step too many",
            {"compare=more-steps@28", Outcome::Crashed, true, 0, "steps in a visit of size"});
        add("answers like a trial",
            {"compare=trial@28", Outcome::Crashed, true, 0, "compared 0 sizes where 3"});
    }
    void reportsEveryOutcome()
    {
        const auto& [words, outcome, lost, size, said] = row<Text, Outcome, bool, std::int64_t, Text>();
        QVERIFY(becomesReady(words));
        QVERIFY(endsAfter(comparison()));
        const End end = m_ends.front();
        QCOMPARE(trial::toText(end.result.outcome), trial::toText(outcome));
        QCOMPARE(end.workerLost, lost);
        QCOMPARE(end.result.id, 8);
        QCOMPARE(end.result.microBatchSize, size);
        VERIFY_CONTAINS(end.result.text, said);
        // The next trial runs after any outcome.
        TRY_VERIFY(m_runner->isFree());
        m_runner->runTrial({.id = 9, .microBatchSize = 4});
        TRY_COMPARE(m_ends.size(), std::size_t{2});
        QVERIFY(m_ends.back().result.outcome == Outcome::Ok);
    }

    void keepsVisitsBeforeAFailure()
    {
        QVERIFY(becomesReady(QStringLiteral("compare=oom@28")));
        QVERIFY(endsAfter(comparison()));
        const trial::TrialResult& result = m_ends.front().result;
        QCOMPARE(result.compared.size(), std::size_t{3});
        QCOMPARE(result.compared[0].visits.size(), std::size_t{1});
        QVERIFY(result.compared[1].visits.empty());
        QVERIFY(result.peakReservedBytes > 0);
    }

    void reportsAllocationRetries()
    {
        QVERIFY(becomesReady(QStringLiteral("compare=thrash@28")));
        QVERIFY(endsAfter(comparison()));
        const trial::TrialResult& result = m_ends.front().result;
        QVERIFY(trial::hasFlag(result.flags, trial::flag::thrashes));
        QCOMPARE(result.compared.back().allocationRetries, 3);
    }

    void ignoresALateAnswer()
    {
        QVERIFY(becomesReady(QStringLiteral("compare=late#2")));
        QVERIFY(endsAfter(comparison()));
        QVERIFY(endsAfter(comparison(9)));
        QCOMPARE(m_ends.back().result.id, 9);
        QVERIFY(m_ends.back().result.outcome == Outcome::Ok);
        QCOMPARE(m_log, QStringList(QStringLiteral("cpu: a late answer to trial 8 was left out.")));
    }

    void refusesAComparisonAsAnswerToATrial()
    {
        QVERIFY(becomesReady(QStringLiteral("trial=comparison")));
        m_runner->runTrial({.id = 9, .microBatchSize = 4});
        TRY_COMPARE(m_ends.size(), std::size_t{1});
        QVERIFY(m_ends.front().workerLost);
        VERIFY_CONTAINS(m_ends.front().result.text, "with a comparison where one size was asked for");
    }

    void timesOutOnSilence()
    {
        engine::DeviceSetup setup = setupFor(QStringLiteral("compare=hang@28"));
        setup.timeouts.trialGrace = -19'500ms;
        QVERIFY(becomesReady(setup));
        QVERIFY(endsAfter(comparison()));
        QVERIFY(m_ends.front().workerLost);
        QVERIFY(m_ends.front().result.outcome == Outcome::Timeout);
        VERIFY_CONTAINS(m_ends.front().result.text, "gave no answer");
    }

    void canBeCancelled_data() { rows<Text>({{"at once", ""}, {"by a kill", " ignore-cancel"}}); }
    void canBeCancelled()
    {
        engine::DeviceSetup setup = setupFor(QStringLiteral("compare=hang@28") + row<Text>());
        setup.timeouts.cancel = row<Text>().isEmpty() ? 20s : 50ms;
        QVERIFY(becomesReady(setup));
        m_runner->compare(comparison());
        TRY_COMPARE(m_steps.size(), std::size_t{4});
        m_runner->end();
        TRY_VERIFY(m_runner->hasEnded());
        QCOMPARE(m_ends.size(), std::size_t{1});
        QVERIFY(m_ends.front().result.outcome == Outcome::Cancelled);
        QCOMPARE(m_ends.front().result.id, 8);
    }
};

BATCHPEAK_TEST(ComparisonsTest)
#include "tst_comparisons.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "trial/contrast.h"

#include <QFileInfo>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using search::Measurement;
using test::ExplorationHarness;
using trial::Outcome;

namespace {

using Comparisons = std::vector<std::vector<std::int64_t>>;

/// Expected end of a comparison, and the measurement that the search receives.
struct Ending
{
    Text words;
    Text shown;
    std::int64_t size = 0;
    Outcome outcome = Outcome::Failed;
    Text visits;
    Text log;
};

/// "24:2 28:1 32:0"
QString visitsOf(const Measurement& measurement)
{
    QStringList sizes;
    for (const trial::ComparedSize& size : measurement.compared)
        sizes.append(QStringLiteral("%1:%2").arg(size.microBatchSize).arg(size.visits.size()));
    return sizes.join(QLatin1Char(' '));
}

/// Returns the start times of all visits in chronological order.
std::vector<double> startTimesOf(const Measurement& measurement)
{
    std::vector<double> clocks;
    for (const trial::ComparedSize& size : measurement.compared) {
        for (const trial::Visit& visit : size.visits)
            clocks.push_back(visit.clockSeconds);
    }
    std::ranges::sort(clocks);
    return clocks;
}

} // namespace

/// Tests comparisons within an exploration: their requests, their records and what the search receives.
class ExplorationComparisonsTest : public QObject
{
    Q_OBJECT

private slots:
    void runsComparisonsOfTheSearch()
    {
        ExplorationHarness harness;
        harness.comparisons = Comparisons{{4, 2, 1}};
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 4+2+1 ok"));
        QVERIFY(harness.space.comparesSizes);

        const trial::TrialRecord& trial = harness.snapshot().trials.back();
        QVERIFY(trial.isComparison());
        QCOMPARE(trial.microBatchSize, 0);
        QCOMPARE(trial.visits, 4);
        QCOMPARE(trial.timedSteps, 3 * 4 * 3);
        QCOMPARE(trial.warmupSteps, 3 * 4);
        QCOMPARE(*trial.compared[0].samplesPerSecond, 4 / 0.014);
        QCOMPARE(*trial.compared[0].peakReservedBytes, 140'000'000);
        QCOMPARE(trial.compared[0].visits.size(), std::size_t{4});
        const auto contrast = trial::contrastOf(trial.compared);
        QCOMPARE(contrast->leader, 4);
        QCOMPARE(contrast->runnerUp, 2);
        QVERIFY(std::abs(contrast->lead - (4 / 0.014) / (2 / 0.012) + 1) < 1e-9);
        VERIFY_CONTAINS(harness.log(), "Trial 4: comparing 4, 2 and 1 on cpu.");
        VERIFY_CONTAINS(harness.log(), "Trial 4: compared 4, 2 and 1 in 4 visits each: 4 is 71.4 % ± 0.0 "
                                       "faster than 2.");

        const Measurement& told = harness.told.back();
        QCOMPARE(told.size, 4);
        QVERIFY(told.ran() && !told.thrashes && !told.disturbed);
        QCOMPARE(told.secondsPerStep, 0.014);
        QCOMPARE(told.optimizerSeconds, 0.002);
        QCOMPARE(visitsOf(told), QStringLiteral("4:4 2:4 1:4"));
    }

    // The clock of the fake worker counts the seconds that its steps would have taken.
    void putsEveryTrialOnOneClock()
    {
        ExplorationHarness harness;
        harness.comparisons = Comparisons{{1, 2}, {2, 4}};
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.told.size(), std::size_t{5});
        // Each trial waits for a second and then takes its steps.
        const double hello = harness.told[0].clockSeconds - 1.0 - 3 * (0.011 + 0.002);
        QVERIFY(hello > 0.0 && hello < harness.snapshot().elapsedSeconds);
        const double between = harness.told[1].clockSeconds - harness.told[0].clockSeconds;
        QVERIFY(std::abs(between - 1.0 - 3 * 0.012) < 0.5);
        double last = harness.told[2].clockSeconds;
        for (std::size_t i = 3; i < 5; ++i) {
            const std::vector<double> clocks = startTimesOf(harness.told[i]);
            QVERIFY(clocks.front() >= last);
            QVERIFY(clocks.back() < harness.told[i].clockSeconds);
            last = harness.told[i].clockSeconds;
        }
        const trial::TrialRecord& shown = harness.snapshot().trials.back();
        QCOMPARE(shown.compared[0].visits[0].beginSeconds,
                 harness.told.back().compared[0].visits[0].clockSeconds);
    }

    void convertsTheClockOfAFreshWorker()
    {
        ExplorationHarness harness("compare=kill starts until=1");
        harness.comparisons = Comparisons{{1, 2}, {2, 4}};
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 1+2 crashed, 2+4 ok"));
        // The first worker's clock would add three trials of a second each.
        const double begin = startTimesOf(harness.told.back()).front();
        QVERIFY(begin > 0.0 && begin < harness.snapshot().elapsedSeconds + 0.5);
    }

    void comparesOnSeveralDevices()
    {
        ExplorationHarness harness;
        test::setGpus(harness.parts, {"a", "b"});
        harness.options.devices = {QStringLiteral("cuda")};
        harness.comparisons = Comparisons{{1, 2}, {2, 4}, {1, 4}, {1, 2, 4}};
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.told.size(), std::size_t{7});
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 1+2 ok, 2+4 ok, 1+4 ok, 1+2+4 ok"));
        // A comparison may end before an ordinary trial of the other device.
        int comparisons = 0;
        for (const search::Measurement& told : harness.told) {
            QVERIFY(told.ran());
            if (told.compared.empty())
                continue;
            ++comparisons;
            QCOMPARE(told.size, told.compared.front().microBatchSize);
        }
        QCOMPARE(comparisons, 4);
    }

    void requestsNoComparisonFromAnOlderProgram()
    {
        ExplorationHarness harness("protocol=older");
        harness.comparisons = Comparisons{{1, 2}};
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QVERIFY(!harness.space.comparesSizes);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        // If the program has no clock, a trial ends when its answer arrives.
        QVERIFY(harness.told.back().clockSeconds <= harness.snapshot().elapsedSeconds);
    }

    // If one of two devices does not support comparisons, none is requested.
    void requestsNoComparisonIfOneProgramIsOlder()
    {
        ExplorationHarness harness;
        harness.options.workerCommand =
            QStringLiteral("sh -c \"exec " BATCHPEAK_FAKE_WORKER
                           " $([ $CUDA_VISIBLE_DEVICES = a ] && echo protocol=older)\"");
        test::setGpus(harness.parts, {"a", "b"});
        harness.options.devices = {QStringLiteral("cuda")};
        harness.comparisons = Comparisons{{1, 2}};
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QVERIFY(!harness.space.comparesSizes);
        QCOMPARE(harness.snapshot().trials.size(), std::size_t{3});
    }

    void handlesEveryEnding_data()
    {
        const auto add = rows<Ending>();
        add("disturbed", {"compare=disturbed@2", "1+2+4 ok", 1, Outcome::Ok, "1:4 2:4 4:4",
                          "faster than 2, disturbed: other"});
        add("thrashes", {"compare=thrash@2", "1+2+4 ok", 0, Outcome::Failed, "", "discarded, thrashes."});
        add("a size out of memory",
            {"compare=oom@2", "1+2+4 oom at 2", 2, Outcome::OutOfMemory, "1:1 2:0 4:0",
             "comparing 1, 2 and 4 ended at 2, which ran out of memory"});
        add("a size beyond the device's memory",
            {"compare=spill@2", "1+2+4 oom at 2", 2, Outcome::OutOfMemory, "1:4 2:4 4:4",
             "moved memory to the host"});
        add("memory stays lost", {"compare=lost-memory@2", "1+2+4 oom at 2", 2, Outcome::OutOfMemory,
                                  "1:1 2:0 4:0", "ended at 2"});
        add("a size that fails",
            {"compare=failed@4", "1+2+4 failed at 4", 4, Outcome::Failed, "1:1 2:1 4:0", "which failed"});
        add("a size that is not supported", {"compare=unsupported@4", "1+2+4 unsupported at 4", 4,
                                             Outcome::Unsupported, "1:1 2:1 4:0", "which is not supported"});
        add("out of time", {"compare=timeout@4", "1+2+4 timeout", 0, Outcome::Failed, "1:1 2:1 4:0",
                            "comparison of 1, 2 and 4 discarded: it timed out"});
        add("a lost worker", {"compare=kill@2", "1+2+4 crashed", 0, Outcome::Crashed, "",
                              "discarded: it crashed. The worker"});
        add("garbage", {"compare=garbage@2", "1+2+4 crashed", 0, Outcome::Crashed, "", "does not keep to"});
    }
    void handlesEveryEnding()
    {
        const auto& [words, shown, size, outcome, visits, log] = row<Ending>();
        ExplorationHarness harness(words);
        harness.comparisons = Comparisons{{1, 2, 4}, {1, 4}};
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QVERIFY2(harness.trials().startsWith(QStringLiteral("1 ok, 2 ok, 4 ok, ") + shown),
                 qPrintable(harness.trials()));
        QCOMPARE(harness.told.size(), std::size_t{5});
        const Measurement& told = harness.told[3];
        QCOMPARE(told.size, size);
        QCOMPARE(trial::toText(told.outcome), trial::toText(outcome));
        QCOMPARE(visitsOf(told), visits);
        QVERIFY(!told.thrashes);
        QCOMPARE(told.disturbed, words.contains(QLatin1String("disturbed")));
        VERIFY_CONTAINS(harness.log(), log);
        // The next comparison runs on the same device after any ending.
        QVERIFY(harness.snapshot().trials.size() == 5);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void blamesNoSizeForSilence()
    {
        ExplorationHarness harness("compare=hang@2");
        harness.parts.timeouts.trialGrace = -299'500ms;
        harness.comparisons = Comparisons{{1, 2, 4}};
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 1+2+4 timeout"));
        QCOMPARE(harness.told.back().size, 0);
        QVERIFY(harness.told.back().saysNothing());
    }

    void cancelsAComparisonOnStop()
    {
        ExplorationHarness harness("compare=hang@2");
        harness.comparisons = Comparisons{{1, 2, 4}};
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 1+2+4 running"));
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 1+2+4 cancelled"));
        QCOMPARE(harness.told.size(), std::size_t{3});
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 4);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void finishesAComparisonBeforeAPause()
    {
        ExplorationHarness harness;
        harness.comparisons = Comparisons{{1, 2}, {2, 4}};
        engine::onEvent<engine::TrialStarted>(harness.exploration(), this, [&](const auto& started) {
            if (started.trial.number == 4)
                harness.exploration().pause();
        });
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, engine::State::Paused);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 1+2 ok"));
        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.snapshot().trials.size(), std::size_t{5});
    }
};

BATCHPEAK_TEST(ExplorationComparisonsTest)
#include "tst_exploration_comparisons.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/test_main.h"

#include <QTest>

#include <utility>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::Exploration;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;
using Outcome = engine::Verification::Outcome;

Q_DECLARE_METATYPE(batchpeak::engine::Verification::Outcome)

namespace {

/// Of a search of 1, 2, 4, whose last is the fastest.
const QString searched = QStringLiteral("1 ok, 2 ok, 4 ok");

QStringList wordsOf(const QString& text)
{
    return text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

/// What comes of measuring the recommended size once more in a fresh process, whatever that does.
class VerificationEndingsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsAsItShould_data();
    void endsAsItShould();
    void silenceIsNotWaitedForLong_data();
    void silenceIsNotWaitedForLong();
    void saysWhatItMeasured();
    void tellsTheSearchOfASurprise_data();
    void tellsTheSearchOfASurprise();
};

void VerificationEndingsTest::endsAsItShould_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("trials");
    QTest::addColumn<int>("recommended");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const char* words, const char* trials, int recommended,
                        Outcome outcome, const char* said) {
        QTest::newRow(name) << QString::fromUtf8(words) << searched + QString::fromUtf8(trials) << recommended
                            << outcome << QString::fromUtf8(said);
    };
    const Outcome confirmed = Outcome::Confirmed;
    row("all is well", "", ", 4 ok", 4, confirmed, "4 was confirmed in a fresh process");
    row("optional fields absent", "trial=bare", ", 4 ok", 4, confirmed, "was confirmed");
    row("needs two seconds to start", "start=late starts after=1", ", 4 ok", 4, confirmed, "was confirmed");
    row("crashes once", "trial=kill@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed,
        "4 is tried once more");
    row("crashes there always", "trial=abort@4 starts after=1", ", 4 crashed, 4 crashed, 2 ok", 2, confirmed,
        "4 failed in a fresh process");
    row("exits once", "trial=exit@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed,
        "exit code 1");
    row("sticky device error", "trial=exit42@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed,
        "only a fresh process clears");
    row("fails once", "trial=failed@4 starts after=1 until=2", ", 4 failed, 4 ok", 4, confirmed,
        "told to answer so");
    row("fails twice", "trial=failed@4 starts after=1", ", 4 failed, 4 failed, 2 ok", 2, confirmed,
        "2 was confirmed");
    row("garbage once", "trial=garbage@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed,
        "does not keep to the trial protocol");
    row("wrong size once", "trial=wrong-size@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed,
        "for a size of 5 where 4 was asked");
    row("late answer", "trial=late starts after=1", ", 4 ok", 4, confirmed, "was confirmed");
    row("out of memory", "trial=oom@4 starts after=1", ", 4 oom, 2 ok", 2, confirmed,
        "4 failed in a fresh process");
    row("spilled memory", "trial=spill@4 starts after=1", ", 4 oom, 2 ok", 2, confirmed,
        "moved memory to the host");
    row("unsupported", "trial=unsupported@4 starts after=1", ", 4 unsupported, 2 ok", 2, confirmed,
        "not supported");
    row("took too long", "trial=timeout@4 starts after=1", ", 4 timeout, 2 ok", 2, confirmed,
        "took too long");
    row("thrashes", "trial=thrash@4 starts after=1", ", 4 ok, 2 ok", 2, confirmed, "thrashes");
    row("faster", "trial=fast@4 starts after=1", ", 4 ok", 4, confirmed, "was confirmed");
    row("slower", "trial=slow@4 starts after=1", ", 4 ok", 4, Outcome::Slower, "4 was slower");
    const char* notRun = "4 was not verified";
    row("refuses a second start", "start=refuse starts after=1", "", 4, Outcome::NotRun, notRun);
    row("dies at a second start", "start=exit starts after=1", "", 4, Outcome::NotRun, notRun);
    row("greets otherwise", "start=garbage starts after=1", "", 4, Outcome::NotRun, notRun);
    row("cannot load twice", "load=error starts after=1", "", 4, Outcome::NotRun, notRun);
    row("dies while loading again", "load=exit starts after=1", "", 4, Outcome::NotRun, notRun);
    row("refuses one start", "start=refuse starts after=1 until=2", ", 4 ok", 4, confirmed, "was confirmed");
    row("does not heed the end", "ignore-end ignore-terminate", ", 4 ok", 4, confirmed, "was confirmed");
}

void VerificationEndingsTest::endsAsItShould()
{
    QFETCH(QString, words);
    QFETCH(QString, trials);
    QFETCH(int, recommended);
    QFETCH(Outcome, outcome);
    QFETCH(QString, said);

    ExplorationHarness harness(wordsOf(words));
    harness.options.verify = true;
    harness.parts.timeouts.quit = words.contains(QLatin1String("ignore")) ? 50ms : 10s;
    harness.parts.timeouts.terminate = 50ms;
    QVERIFY(harness.runToEnd());

    const engine::Snapshot& snapshot = harness.snapshot();
    QVERIFY2(snapshot.finish == FinishStatus::Exhausted, qPrintable(harness.log()));
    QCOMPARE(snapshot.state, State::Finished);
    QCOMPARE(harness.trials(), trials);
    QCOMPARE(snapshot.searchState.recommendation->size, recommended);
    QCOMPARE(snapshot.verification->size, recommended);
    QCOMPARE(snapshot.verification->outcome, outcome);
    QVERIFY2(harness.log().contains(said), qPrintable(harness.log()));
    QVERIFY(snapshot.failure.isEmpty());
    QCOMPARE(harness.finishedSignals(), 1);
    QVERIFY(harness.isNoWorkerLeft());
}

void VerificationEndingsTest::silenceIsNotWaitedForLong_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("trials");
    QTest::addColumn<Outcome>("outcome");
    QTest::newRow("no hello") << QStringLiteral("start=silent starts after=1") << searched << Outcome::NotRun;
    QTest::newRow("never loaded") << QStringLiteral("load=silent starts after=1") << searched
                                  << Outcome::NotRun;
    QTest::newRow("hangs once") << QStringLiteral("trial=hang@4 starts after=1 until=2")
                                << searched + QStringLiteral(", 4 timeout, 4 ok") << Outcome::Confirmed;
    QTest::newRow("hangs there always")
        << QStringLiteral("trial=hang@4 ignore-terminate ignore-end starts after=1")
        << searched + QStringLiteral(", 4 timeout, 4 timeout, 2 ok") << Outcome::Confirmed;
}

void VerificationEndingsTest::silenceIsNotWaitedForLong()
{
    QFETCH(QString, words);
    QFETCH(QString, trials);
    QFETCH(Outcome, outcome);

    ExplorationHarness harness(wordsOf(words));
    harness.options.verify = true;
    // Long enough for a busy computer to start a process, short enough to wait for.
    harness.parts.timeouts.startUp = words.contains(QLatin1String("start=")) ? 2s : 20s;
    harness.parts.timeouts.load = words.contains(QLatin1String("load=")) ? 2s : 20s;
    // The time limit of a trial that took a second is cut down to half a second.
    harness.parts.timeouts.trialGrace = -32500ms;
    harness.parts.timeouts.quit = harness.parts.timeouts.terminate = 50ms;
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().finish == FinishStatus::Exhausted, qPrintable(harness.log()));
    QCOMPARE(harness.trials(), trials);
    QCOMPARE(harness.snapshot().verification->outcome, outcome);
    QVERIFY(harness.isNoWorkerLeft());
}

void VerificationEndingsTest::saysWhatItMeasured()
{
    ExplorationHarness harness({});
    harness.options.verify = true;
    QStringList states;
    connect(&harness.exploration(), &Exploration::snapshotChanged, &harness,
            [&](const engine::Snapshot& snapshot) {
                if (snapshot.state == State::Verifying && snapshot.verification)
                    states = {QString::number(snapshot.verification->size)};
            });
    QVERIFY(harness.runToEnd());
    QCOMPARE(states, QStringList(QStringLiteral("4")));

    const engine::Snapshot& snapshot = harness.snapshot();
    const trial::TrialRecord& trial = snapshot.trials.back();
    QVERIFY(trial.isVerification);
    QCOMPARE(trial.flags, std::vector<std::string>{"verification"});
    QCOMPARE(trial.timedSteps, 5);
    QCOMPARE(*snapshot.verification->samplesPerSecond, *trial.samplesPerSecond);
    QCOMPARE(snapshot.verification->peakReservedBytes, 140'000'000);
    QCOMPARE(*snapshot.verification->spareBytes, 2'000'000'000 - 140'000'000);
    QCOMPARE(snapshot.devices.front().restarts, 0);
    // What is as expected teaches nothing.
    QCOMPARE(harness.told.size(), 3U);
}

void VerificationEndingsTest::tellsTheSearchOfASurprise_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<double>("factor");
    QTest::newRow("slower") << QStringLiteral("trial=slow@4 starts after=1") << 1.5;
    QTest::newRow("faster") << QStringLiteral("trial=fast@4 starts after=1") << 0.5;
}

void VerificationEndingsTest::tellsTheSearchOfASurprise()
{
    QFETCH(QString, words);
    QFETCH(double, factor);
    ExplorationHarness harness(wordsOf(words));
    harness.options.verify = true;
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.told.size(), 4U);
    QVERIFY(harness.told.back().isVerification);
    QCOMPARE(harness.told.back().secondsPerStep, factor * harness.told[2].secondsPerStep);
}

BATCHPEAK_TEST(VerificationEndingsTest)
#include "tst_verification_endings.moc"

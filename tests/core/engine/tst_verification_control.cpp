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

namespace {

/// Of a search of 1, 2, 4, whose last is the fastest.
const QString searched = QStringLiteral("1 ok, 2 ok, 4 ok");

QStringList wordsOf(const QString& text)
{
    return text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// Calls \p act once, when a trial of verification starts.
template<typename Act>
void whenVerificationStarts(ExplorationHarness& harness, Act act)
{
    engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [act](const auto& started) {
        if (started.trial.isVerification)
            act();
    });
}

} // namespace

/// When the recommended size is measured once more in a fresh process, and what a person may do meanwhile.
class VerificationControlTest : public QObject
{
    Q_OBJECT

private slots:
    void isLeftOut_data();
    void isLeftOut();
    void canBeStopped_data();
    void canBeStopped();
    void endsWithTheTimeBudget();
    void endsThoughAPauseWasAskedFor();
    void pausesBeforeItsTrial();
    void pausesBetweenTwo();
    void runsWhereTheSizeWasMeasured();
};

void VerificationControlTest::isLeftOut_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<std::vector<std::int64_t>>("sizes");
    QTest::addColumn<bool>("isWanted");
    QTest::addColumn<QString>("trials");
    using Sizes = std::vector<std::int64_t>;
    QTest::newRow("where nobody wants it") << QString() << Sizes{1, 2, 4} << false << searched;
    QTest::newRow("where the only trial was the first")
        << QString() << Sizes{4} << true << QStringLiteral("4 ok");
    QTest::newRow("where a fresh worker just ran it") << QStringLiteral("trial=kill@4 once") << Sizes{1, 4}
                                                      << true << QStringLiteral("1 ok, 4 crashed, 4 ok");
    QTest::newRow("where nothing fits")
        << QStringLiteral("slope=1900000000") << Sizes{1, 2, 4} << true << QStringLiteral("1 oom");
    QTest::newRow("after the third") << QStringLiteral("trial=oom starts after=1") << Sizes{1, 2, 4, 8, 16}
                                     << true
                                     << QStringLiteral("1 ok, 2 ok, 4 ok, 8 ok, 16 ok, 16 oom, 8 oom, 4 oom");
}

void VerificationControlTest::isLeftOut()
{
    QFETCH(QString, words);
    QFETCH(std::vector<std::int64_t>, sizes);
    QFETCH(bool, isWanted);
    QFETCH(QString, trials);
    ExplorationHarness harness(wordsOf(words), sizes);
    harness.options.verify = isWanted;
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.trials(), trials);
}

void VerificationControlTest::canBeStopped_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("trials");
    QTest::newRow("in its trial") << QStringLiteral("trial=hang starts after=1")
                                  << searched + QStringLiteral(", 4 running");
    QTest::newRow("while its worker starts") << QStringLiteral("start=silent starts after=1") << searched;
}

void VerificationControlTest::canBeStopped()
{
    QFETCH(QString, words);
    QFETCH(QString, trials);
    ExplorationHarness harness(wordsOf(words));
    harness.options.verify = true;
    harness.exploration().start();
    QTRY_COMPARE(harness.snapshot().state, State::Verifying);
    QTRY_COMPARE(harness.trials(), trials);
    harness.exploration().stop();
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
    QCOMPARE(harness.snapshot().searchState.recommendation->size, 4);
    QCOMPARE(harness.snapshot().verification->outcome, Outcome::NotRun);
    QCOMPARE(harness.told.size(), 3U);
    QVERIFY(harness.isNoWorkerLeft());
}

void VerificationControlTest::endsWithTheTimeBudget()
{
    ExplorationHarness harness(wordsOf(QStringLiteral("trial=hang starts after=1")));
    harness.options.verify = true;
    harness.options.timeBudget = 2s;
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().finish == FinishStatus::Budget);
    QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 cancelled"));
    QCOMPARE(harness.snapshot().searchState.recommendation->size, 4);
    QCOMPARE(harness.snapshot().verification->outcome, Outcome::NotRun);
}

void VerificationControlTest::endsThoughAPauseWasAskedFor()
{
    ExplorationHarness harness({});
    harness.options.verify = true;
    whenVerificationStarts(harness, [&] { harness.exploration().pause(); });
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 ok"));
    QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
}

void VerificationControlTest::pausesBeforeItsTrial()
{
    ExplorationHarness harness({});
    harness.options.verify = true;
    bool hasPaused = false;
    connect(&harness.exploration(), &Exploration::snapshotChanged, &harness,
            [&](const engine::Snapshot& snapshot) {
                if (snapshot.state == State::Verifying && !std::exchange(hasPaused, true))
                    harness.exploration().pause();
            });
    harness.exploration().start();
    QTRY_COMPARE(harness.snapshot().state, State::Paused);
    QCOMPARE(harness.trials(), searched);
    harness.exploration().resume();
    QCOMPARE(harness.snapshot().state, State::Verifying);
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 ok"));
}

void VerificationControlTest::pausesBetweenTwo()
{
    ExplorationHarness harness(wordsOf(QStringLiteral("trial=oom@4 starts after=1")));
    harness.options.verify = true;
    bool hasPaused = false;
    whenVerificationStarts(harness, [&] {
        if (!std::exchange(hasPaused, true))
            harness.exploration().pause();
    });
    harness.exploration().start();
    QTRY_COMPARE(harness.snapshot().state, State::Paused);
    QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 oom"));
    harness.exploration().resume();
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 oom, 2 ok"));
}

void VerificationControlTest::runsWhereTheSizeWasMeasured()
{
    ExplorationHarness harness({}, {1, 2, 4, 8, 16});
    harness.options.verify = true;
    harness.parts.localDevices = [] {
        return std::vector<device::LocalDevice>{{.kind = "cuda", .index = 0}, {.kind = "cuda", .index = 1}};
    };
    QVERIFY(harness.runToEnd());
    const auto& trials = harness.snapshot().trials;
    QCOMPARE(harness.snapshot().verification->outcome, Outcome::Confirmed);
    QCOMPARE(trials.size(), 6U);
    QVERIFY(trials.back().isVerification);
    QCOMPARE(trials.back().microBatchSize, 16);
    QCOMPARE(trials.back().device, trials[4].device);
}

BATCHPEAK_TEST(VerificationControlTest)
#include "tst_verification_control.moc"

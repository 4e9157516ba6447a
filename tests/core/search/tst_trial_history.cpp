// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/trial_history.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <limits>

using namespace batchpeak::search;
using Outcome = Measurement::Outcome;
using Change = std::function<void(Measurement&)>;

namespace {

constexpr std::int64_t limitBytes = 1000;

Measurement ran(std::int64_t size)
{
    return {.size = size,
            .outcome = Outcome::Ok,
            .secondsPerStep = 0.1,
            .stepSeconds = {0.1},
            .peakReservedBytes = 500};
}

Measurement failed(std::int64_t size)
{
    return {.size = size, .outcome = Outcome::DoesNotFit};
}

} // namespace

class TrialHistoryTest : public QObject
{
    Q_OBJECT

private slots:
    void sortsTrials_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<bool>("isGood");
        QTest::addColumn<bool>("hasFailed");
        QTest::addColumn<int>("timed");
        const auto row = [](const char* name, const Change& change, bool isGood, bool hasFailed, int timed) {
            QTest::newRow(name) << change << isGood << hasFailed << timed;
        };
        const double nan = std::numeric_limits<double>::quiet_NaN();
        row(
            "ran", [](Measurement&) {}, true, false, 1);
        row(
            "exactly at the limit", [](Measurement& m) { m.peakReservedBytes = limitBytes; }, true, false, 1);
        row(
            "above the limit, but its time counts",
            [](Measurement& m) { m.peakReservedBytes = limitBytes + 1; }, false, true, 1);
        row(
            "thrashes", [](Measurement& m) { m.thrashes = true; }, false, true, 0);
        row(
            "abandoned", [](Measurement& m) { m.abandoned = true; }, true, false, 1);
        row(
            "did not fit", [](Measurement& m) { m.outcome = Outcome::DoesNotFit; }, false, true, 0);
        row(
            "void", [](Measurement& m) { m.outcome = Outcome::Void; }, false, false, 0);
        row(
            "no number", [nan](Measurement& m) { m.secondsPerStep = nan; }, false, false, 0);
        row(
            "endless", [](Measurement& m) { m.secondsPerStep = HUGE_VAL; }, false, false, 0);
        row(
            "negative time", [](Measurement& m) { m.secondsPerStep = -0.1; }, false, false, 0);
        row(
            "no time", [](Measurement& m) { m.secondsPerStep = 0.0; }, false, false, 0);
        row(
            "negative step",
            [](Measurement& m) {
                m.stepSeconds = {0.1, -0.1};
            },
            false, false, 0);
        row(
            "negative memory", [](Measurement& m) { m.peakReservedBytes = -1; }, false, false, 0);
        row(
            "optimizer without number", [nan](Measurement& m) { m.optimizerSeconds = nan; }, false, false, 0);
    }
    void sortsTrials()
    {
        QFETCH(Change, change);
        QFETCH(bool, isGood);
        QFETCH(bool, hasFailed);
        QFETCH(int, timed);
        TrialHistory history(limitBytes);
        Measurement trial = ran(4);
        change(trial);
        history.record(trial);
        QCOMPARE(history.isGood(4), isGood);
        QCOMPARE(history.hasFailed(4), hasFailed);
        QCOMPARE(history.timedTrials(4), timed);
        QCOMPARE(history.voidTrials(4), isGood || hasFailed ? 0 : 1);
        QCOMPARE(history.all().size(), std::size_t{1});
    }

    void failureOnceIsFailureForGood()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        history.record(failed(4));
        history.record(ran(4));
        QVERIFY(!history.isGood(4));
        QCOMPARE(history.largestGood(), 0);
        QCOMPARE(history.smallestFailure(), 4);
    }

    void failureBelowASizeThatRanBoundsNothing()
    {
        TrialHistory history(limitBytes);
        history.record(failed(4));
        history.record(ran(8));
        history.record(failed(32));
        history.record(failed(16));
        QCOMPARE(history.largestGood(), 8);
        QCOMPARE(history.smallestFailure(), 16);
        QVERIFY(history.hasFailed(4));
    }

    void verificationsAreNotCounted()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        Measurement verification = failed(4);
        verification.isVerification = true;
        history.record(verification);
        QCOMPARE(history.countedTrials(), 1);
        verification.discardedTrials = 2;
        history.record(verification);
        QCOMPARE(history.countedTrials(), 1);
        QCOMPARE(history.all().size(), 3U);
        QVERIFY(history.hasFailed(4));
    }

    void trialsThatAnotherStandsForAreCounted()
    {
        TrialHistory history(limitBytes);
        Measurement repeated = ran(4);
        repeated.discardedTrials = 2;
        history.record(repeated);
        history.record(ran(8));
        QCOMPARE(history.countedTrials(), 4);
        QCOMPARE(history.timedTrials(4), 1);
    }

    void withoutALimitNoPeakIsTooHigh()
    {
        TrialHistory history(0);
        history.record(ran(4));
        QVERIFY(history.isGood(4));
    }
};

BATCHPEAK_TEST(TrialHistoryTest)
#include "tst_trial_history.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/trial_history.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;

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
    return {.size = size, .outcome = Outcome::OutOfMemory};
}

Measurement brokenDown(std::int64_t size)
{
    return {.size = size, .outcome = Outcome::Crashed};
}

/// Trials after a size of 4 ran, with all failures unlikely, and the expected state of 8.
struct InDoubt
{
    std::vector<Measurement> trials;
    std::int64_t odd = 0;
    std::int64_t smallestFailure = 0;
    bool isGivenUp = false;
};

/// Trial that differs in one member from one that ran, and how the history classifies it.
struct Sorted
{
    Measurement trial;
    bool isGood = false;
    bool hasFailed = false;
    int timed = 0;
};

template<typename Value>
Measurement ranWith(Value Measurement::*member, const Value& value)
{
    Measurement trial = ran(4);
    trial.*member = value;
    return trial;
}

} // namespace

/// New trial next to recalled ones of 4 and 8.
struct RecallCase
{
    Measurement now;
    bool contradicts = false;
};

class TrialHistoryTest : public QObject
{
    Q_OBJECT

private slots:
    void detectsContradictionsOfRecalledTrials_data()
    {
        using M = Measurement;
        constexpr std::int64_t mebibyte = 1 << 20;
        Measurement disturbed = ranWith(&M::secondsPerStep, 0.3);
        disturbed.disturbed = true;
        rows<RecallCase>({{"the same", {ran(4)}},
                          {"a third slower", {ranWith(&M::secondsPerStep, 0.133)}},
                          {"a third faster", {ranWith(&M::secondsPerStep, 0.07)}},
                          {"much slower", {ranWith(&M::secondsPerStep, 0.16), true}},
                          {"much faster", {ranWith(&M::secondsPerStep, 0.06), true}},
                          {"disturbed", {disturbed}},
                          {"another size", {ran(5)}},
                          {"rounded otherwise", {ranWith(&M::peakReservedBytes, 60 * mebibyte)}},
                          {"more memory", {ranWith(&M::peakReservedBytes, 70 * mebibyte), true}},
                          {"out of memory at one that ran", {failed(4), true}},
                          {"out of memory below one that ran", {failed(5), true}},
                          {"out of memory above all that ran", {failed(9)}},
                          {"void", {ranWith(&M::outcome, Outcome::Crashed)}}});
    }
    void detectsContradictionsOfRecalledTrials()
    {
        const auto& [now, contradicts] = row<RecallCase>();
        TrialHistory history(0);
        for (const std::int64_t size : {4, 8}) {
            Measurement recalled = ran(size);
            recalled.exploration = 1;
            history.record(recalled);
        }
        QCOMPARE(history.contradictsRecalled(now), contradicts);
        TrialHistory own(0);
        own.record(ran(4));
        QVERIFY2(!own.contradictsRecalled(now), "a trial of the search itself is no recalled one");
    }

    void revokesRecalledFailuresBelowSizesThatRunToday()
    {
        TrialHistory history(limitBytes);
        Measurement recalled = failed(8);
        recalled.exploration = 1;
        history.record(recalled);
        history.record(ran(4));
        QVERIFY(history.hasFailed(8));
        history.record(ran(16));
        QVERIFY(!history.hasFailed(8));
        QCOMPARE(history.recalledTrials(), 0);
        // A failure of today below a size that ran remains.
        history.record(failed(8));
        history.record(ran(16));
        QVERIFY(history.hasFailed(8));
    }

    void isCheckedByOneCalmTrialOrThreeDisturbedOnes()
    {
        TrialHistory history(0);
        Measurement trial = ran(4);
        trial.exploration = 1;
        history.record(trial);
        QVERIFY(!history.isCheckedNow(4));
        trial = ranWith(&Measurement::disturbed, true);
        trial.size = 4;
        history.record(trial);
        history.record(trial);
        QVERIFY(!history.isCheckedNow(4));
        history.record(trial);
        QVERIFY(history.isCheckedNow(4));
        history.record(ran(8));
        QVERIFY(history.isCheckedNow(8));
    }

    void forgetsOnlyRecalledTrials()
    {
        TrialHistory history(limitBytes);
        Measurement recalled = ran(4);
        recalled.exploration = 1;
        history.record(recalled);
        recalled = failed(16);
        recalled.exploration = 1;
        history.record(recalled);
        QCOMPARE(history.recalledTrials(), 2);
        QVERIFY(history.hasFailed(16));
        QCOMPARE(history.countedTrials(), 0);
        QCOMPARE(history.largestGood(), 4);
        QVERIFY(!history.hasRunNow());
        history.record(ran(2));
        QVERIFY(history.hasRunNow() && history.hasRunNow(2) && !history.hasRunNow(4));
        QCOMPARE(history.countedTrials(), 1);
        history.forgetRecalled();
        QCOMPARE(history.recalledTrials(), 0);
        QCOMPARE(history.goodSizes(), std::vector<std::int64_t>{2});
        QVERIFY(!history.hasFailed(16));
        QCOMPARE(history.all().size(), std::size_t{1});
    }

    void sortsTrials_data()
    {
        using M = Measurement;
        const double nan = std::numeric_limits<double>::quiet_NaN();
        rows<Sorted>({
            {"ran", {ran(4), true, false, 1}},
            {"exactly at the limit", {ranWith(&M::peakReservedBytes, limitBytes), true, false, 1}},
            {"above the limit, but its time counts",
             {ranWith(&M::peakReservedBytes, limitBytes + 1), false, true, 1}},
            {"thrashes", {ranWith(&M::thrashes, true), false, true}},
            {"abandoned", {ranWith(&M::abandoned, true), true, false, 1}},
            {"did not fit", {ranWith(&M::outcome, Outcome::OutOfMemory), false, true}},
            {"cannot be run", {ranWith(&M::outcome, Outcome::Unsupported), false, true}},
            {"took too long", {ranWith(&M::outcome, Outcome::Timeout), false, true}},
            {"void", {ranWith(&M::outcome, Outcome::Crashed)}},
            {"failed", {ranWith(&M::outcome, Outcome::Failed)}},
            {"cancelled", {ranWith(&M::outcome, Outcome::Cancelled)}},
            {"no number", {ranWith(&M::secondsPerStep, nan)}},
            {"endless", {ranWith(&M::secondsPerStep, HUGE_VAL)}},
            {"negative time", {ranWith(&M::secondsPerStep, -0.1)}},
            {"no time", {ranWith(&M::secondsPerStep, 0.0)}},
            {"negative step", {ranWith(&M::stepSeconds, std::vector{0.1, -0.1})}},
            {"negative memory", {ranWith(&M::peakReservedBytes, std::int64_t{-1})}},
            {"optimizer without number", {ranWith(&M::optimizerSeconds, nan)}},
        });
    }
    void sortsTrials()
    {
        const auto& [trial, isGood, hasFailed, timed] = row<Sorted>();
        TrialHistory history(limitBytes);
        history.record(trial);
        QCOMPARE(history.isGood(4), isGood);
        QCOMPARE(history.hasFailed(4), hasFailed);
        QCOMPARE(history.timedTrials(4), timed);
        QCOMPARE(history.voidTrials(4), isGood || hasFailed ? 0 : 1);
        QCOMPARE(history.all().size(), std::size_t{1});
    }

    void givesUpComparisonsAfterTwoFailures()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        for (const bool isGivenUp : {false, true}) {
            history.record({.outcome = Outcome::Failed});
            QCOMPARE(history.isComparingGivenUp(), isGivenUp);
        }
        QVERIFY(history.isGood(4));
        QCOMPARE(history.outOfMemoryTrials(), 0);
    }

    void keepsFailuresForever()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        history.record(failed(4));
        history.record(ran(4));
        QVERIFY(!history.isGood(4));
        QCOMPARE(history.largestGood(), 0);
        QCOMPARE(history.smallestFailure(), 4);
    }

    void ignoresAFailureBelowASizeThatRan()
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

    void treatsTwoCrashesAsAFailure_data()
    {
        rows<std::vector<Measurement>, std::int64_t>({
            {"twice", {{ran(4), brokenDown(16), brokenDown(16)}, 16}},
            {"once", {{ran(4), brokenDown(16)}, 0}},
            {"one size each", {{ran(4), brokenDown(16), brokenDown(32)}, 0}},
            {"where nothing ran", {{brokenDown(16), brokenDown(16), ran(32)}, 0}},
            {"below what ran", {{ran(32), brokenDown(16), brokenDown(16)}, 0}},
            {"and a larger one ran later", {{ran(4), brokenDown(16), brokenDown(16), ran(32)}, 0}},
        });
    }
    void treatsTwoCrashesAsAFailure()
    {
        const auto& [trials, failure] = row<std::vector<Measurement>, std::int64_t>();
        TrialHistory history(limitBytes);
        for (const Measurement& trial : trials)
            history.record(trial);
        QCOMPARE(history.smallestFailure(), failure);
        QCOMPARE(history.outOfMemoryTrials(), 0);
        QCOMPARE(history.isMemoryTheBound(), failure == 0);
    }

    void reportsWhetherMemoryIsTheBound_data()
    {
        Measurement refused = failed(16);
        refused.outcome = Outcome::Unsupported;
        Measurement slow = failed(16);
        slow.outcome = Outcome::Timeout;
        Measurement thrashing = ran(16);
        thrashing.thrashes = true;
        Measurement tooLarge = ran(16);
        tooLarge.peakReservedBytes = limitBytes + 1;
        rows<std::vector<Measurement>, bool>(
            {{"nothing failed", {std::vector<Measurement>(), true}},
             {"out of memory", {{failed(16)}, true}},
             {"thrashes", {{thrashing}, true}},
             {"above the limit", {{tooLarge}, true}},
             {"refused", {{refused}, false}},
             {"took too long", {{slow}, false}},
             {"refused, and a larger one out of memory", {{failed(32), refused}, false}},
             {"refused, and a smaller one out of memory", {{failed(8), refused}, true}}});
    }
    void reportsWhetherMemoryIsTheBound()
    {
        const auto& [trials, isMemory] = row<std::vector<Measurement>, bool>();
        TrialHistory history(limitBytes);
        history.record(ran(4));
        for (const Measurement& trial : trials)
            history.record(trial);
        QCOMPARE(history.isMemoryTheBound(), isMemory);
    }

    void doubtsAnUnlikelyFailure_data()
    {
        const auto add = rows<InDoubt>();
        for (const bool isOfMemory : {true, false}) {
            const auto fails = [isOfMemory](std::int64_t size) {
                return isOfMemory ? failed(size) : brokenDown(size);
            };
            const std::string how = isOfMemory ? "out of memory" : "breaks down";
            add(how + " once", {{fails(8)}, 8, 0, false});
            add(how + " twice", {{fails(8), fails(8)}, 8, 0, true});
            add(how + " and then runs", {{fails(8), ran(8)}, 0, 0, false});
            add(how + " twice, and a larger one runs", {{fails(8), fails(8), ran(32)}, 0, 0, true});
            add(how + " twice, and a larger one runs out of memory",
                {{fails(8), fails(8), failed(32)}, 0, 8, true});
            add(how + " twice, and a larger one breaks down once",
                {{fails(8), fails(8), brokenDown(32)}, 8, 0, true});
            add(how + " twice, and a larger one does",
                {{fails(8), fails(8), brokenDown(32), brokenDown(32)}, 0, 8, true});
            add(how + ", and a smaller one runs out of memory", {{fails(8), failed(6)}, 8, 6, false});
            add(how + " twice, and a larger one ran and failed",
                {{fails(8), fails(8), ran(32), failed(64)}, 0, 64, true});
        }
    }
    void doubtsAnUnlikelyFailure()
    {
        const auto& [trials, odd, failure, isGivenUp] = row<InDoubt>();
        // Recalled trials that are forgotten change nothing.
        for (const bool forgets : {false, true}) {
            TrialHistory history(limitBytes);
            if (forgets) {
                Measurement recalled = ran(2);
                recalled.exploration = 1;
                history.record(recalled);
            }
            history.record(ran(4));
            for (const Measurement& trial : trials)
                history.record(trial, !trial.ran());
            if (forgets)
                history.forgetRecalled();
            QCOMPARE(history.oddSize(), odd);
            QCOMPARE(history.smallestFailure(), failure);
            if (failure != 8)
                QCOMPARE(history.isGivenUp(8), isGivenUp);
        }
    }

    void doubtsOnlyTheFirstFailure()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        for (int i = 0; i < 2; ++i)
            history.record(failed(8), true);
        history.record(ran(32), true);
        history.record(failed(64), true);
        QCOMPARE(history.oddSize(), 0);
        QCOMPARE(history.smallestFailure(), 64);
    }

    void believesASecondFailureWithoutALargerSize()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        history.record(failed(8), true);
        QVERIFY(!history.hasFailed(8));
        history.record(failed(8), false);
        QCOMPARE(history.oddSize(), 0);
        QCOMPARE(history.smallestFailure(), 8);
        QCOMPARE(history.outOfMemoryTrials(), 2);
    }

    void believesFailuresOutsideTheSearch_data()
    {
        Measurement verification = failed(8);
        verification.isVerification = true;
        Measurement compared = failed(8);
        compared.compared = {{.microBatchSize = 4}, {.microBatchSize = 8}};
        Measurement refused = failed(8);
        refused.outcome = Outcome::Unsupported;
        rows<Measurement>({{"verification", verification}, {"comparison", compared}, {"refused", refused}});
    }
    void believesFailuresOutsideTheSearch()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        history.record(row<Measurement>(), true);
        QVERIFY(history.hasFailed(8));
    }

    /// Trials of older processes may have used memory that these already held, and say nothing about fresh
    /// ones.
    void boundsSizesByAFailureInAFreshProcess()
    {
        const auto verified = [](Measurement measurement) {
            measurement.isVerification = true;
            return measurement;
        };
        TrialHistory history(0);
        for (const std::int64_t size : {8, 16, 48, 52, 64})
            history.record(ran(size));
        history.record(verified(ran(64)));
        history.record(verified(failed(16)));
        QCOMPARE(history.goodSizes(), (std::vector<std::int64_t>{8, 64}));
        history.record(ran(56));
        QVERIFY(!history.isGood(56));
        history.record(ran(12));
        QVERIFY(history.isGood(12));
        // Now the size that a fresh process previously ran does not count either.
        history.record(verified(failed(64)));
        QCOMPARE(history.goodSizes(), (std::vector<std::int64_t>{8, 12}));
        QCOMPARE(history.smallestFailure(), 16);
    }

    void doesNotCountVerifications()
    {
        TrialHistory history(limitBytes);
        history.record(ran(4));
        Measurement verification = failed(4);
        verification.isVerification = true;
        history.record(verification);
        QCOMPARE(history.countedTrials(), 1);
        QCOMPARE(history.all().size(), 2U);
        QVERIFY(history.hasFailed(4));
    }

    void acceptsAnyPeakWithoutALimit()
    {
        TrialHistory history(0);
        history.record(ran(4));
        QVERIFY(history.isGood(4));
    }
};

BATCHPEAK_TEST(TrialHistoryTest)
#include "tst_trial_history.moc"

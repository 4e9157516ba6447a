// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/judge.h"
#include "support/test_main.h"

#include "judged_trials.h"

#include <QTest>

using namespace batchpeak::search;
using Curve = JudgedTrials::Curve;

Q_DECLARE_METATYPE(JudgedTrials::Curve)

class JudgeTest : public QObject
{
    Q_OBJECT

private slots:
    void namesTheSmallestWithinTolerance_data()
    {
        QTest::addColumn<Curve>("curve");
        QTest::addColumn<double>("tolerance");
        QTest::addColumn<qint64>("best");
        QTest::addColumn<qint64>("smallest");
        // samples/s at 16, 64, 256 and 400: 727, 914, 977 and 985, that is 26, 7 and 0.8 % below the last.
        const Curve rising = [](std::int64_t m) { return 0.006 + 0.001 * static_cast<double>(m); };
        QTest::newRow("two percent") << rising << 0.02 << qint64(400) << qint64(256);
        QTest::newRow("ten percent") << rising << 0.1 << qint64(400) << qint64(64);
        QTest::newRow("half a percent") << rising << 0.005 << qint64(400) << qint64(0);
    }
    void namesTheSmallestWithinTolerance()
    {
        QFETCH(Curve, curve);
        QFETCH(double, tolerance);
        QFETCH(qint64, best);
        QFETCH(qint64, smallest);
        JudgedTrials trials(tolerance);
        for (int repetition = 0; repetition < 3; ++repetition)
            trials.record({1, 16, 64, 256, 400}, curve);
        const Judgement judgement = trials.judge();
        QCOMPARE(judgement.best, best);
        QCOMPARE(judgement.smallestWithinTolerance, smallest);
    }

    void leavesOutWhatFailed()
    {
        JudgedTrials trials;
        const auto curve = [](std::int64_t m) { return 0.006 + 0.001 * static_cast<double>(m); };
        trials.record({1, 16, 64, 256, 300, 400}, curve);
        Measurement thrashing = trials.trial(256, curve(256));
        thrashing.thrashes = true;
        trials.record(thrashing);
        QCOMPARE(trials.judge().smallestWithinTolerance, 300);
    }

    /// Sizes that differ by less than 0.2 % go to the smaller one, which leaves more memory.
    void prefersTheSmallerOfEqualSizes_data()
    {
        QTest::addColumn<double>("lead");
        QTest::addColumn<qint64>("best");
        QTest::newRow("as fast") << 0.0 << qint64(200);
        QTest::newRow("faster by a tenth of a percent") << 0.001 << qint64(200);
        QTest::newRow("faster by one percent") << 0.01 << qint64(400);
    }
    void prefersTheSmallerOfEqualSizes()
    {
        QFETCH(double, lead);
        QFETCH(qint64, best);
        JudgedTrials trials;
        for (int repetition = 0; repetition < 6; ++repetition) {
            trials.record({1, 16, 64, 200, 400}, [lead](std::int64_t m) {
                const double samplesPerSecond =
                    m < 200 ? 5.0 * static_cast<double>(m) : (m < 400 ? 1000.0 : 1000.0 * (1.0 + lead));
                return static_cast<double>(m) / samplesPerSecond;
            });
        }
        QCOMPARE(trials.judge().best, best);
    }
};

BATCHPEAK_TEST(JudgeTest)
#include "tst_judge.moc"

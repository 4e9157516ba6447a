// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/long_timer.h"

#include <QSignalSpy>
#include <QTest>

#include <limits>

using namespace batchpeak::engine;
using namespace batchpeak::test;
using namespace std::chrono_literals;

class LongTimerTest : public QObject
{
    Q_OBJECT

private slots:
    void acceptsAnyTime_data()
    {
        rows<std::chrono::milliseconds>({{"a day", 24h},
                                         {"just beyond an int of milliseconds", 597h},
                                         // 2^32 ms and 12.7 s
                                         {"once around an int of milliseconds", 1193h + 3min},
                                         {"ten years", 24h * 3650}});
    }
    void acceptsAnyTime()
    {
        const auto time = row<std::chrono::milliseconds>();
        LongTimer timer;
        const QSignalSpy fired(&timer, &LongTimer::timeout);
        timer.start(time);
        QVERIFY(timer.isActive());
        QVERIFY(timer.remaining() <= time);
        QVERIFY(timer.remaining() > time - 1h);
        QCoreApplication::processEvents();
        QVERIFY(fired.isEmpty());
        timer.stop();
        QVERIFY(!timer.isActive());
        QCOMPARE(timer.remaining(), 0ms);
    }

    void firesOnceAfterSeveralIntervals()
    {
        LongTimer timer(nullptr, 1ms);
        QSignalSpy fired(&timer, &LongTimer::timeout);
        timer.start(20ms);
        TRY_COMPARE(fired.size(), 1);
        QVERIFY(!timer.isActive());
    }

    void limitsTheSecondsOfAProgram_data()
    {
        rows<double, std::chrono::milliseconds>(
            {{"plain", {1.5, 1500ms}},
             {"nothing", {0.0, 0ms}},
             {"negative", {-5.0, 0ms}},
             {"not a number", {std::numeric_limits<double>::quiet_NaN(), 0ms}},
             {"infinite", {std::numeric_limits<double>::infinity(), 24h * 3650}},
             {"beyond any time", {1e300, 24h * 3650}}});
    }
    void limitsTheSecondsOfAProgram()
    {
        const auto& [seconds, expected] = row<double, std::chrono::milliseconds>();
        QCOMPARE(boundedMilliseconds(seconds), expected);
    }
};

BATCHPEAK_TEST(LongTimerTest)
#include "tst_long_timer.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/auto_halving.h"
#include "support/test_main.h"

#include <QTest>

using batchpeak::accumulation::AutoHalving;

/// A story is what happens to a run, a letter for each attempt: "o" runs out of memory, "." is a calm step,
/// "r" one with retries of the allocator. What the rule makes of it: "=" goes on, "<" goes on smaller, "R"
/// tries again smaller, "!" nothing fits.
class AutoHalvingTest : public QObject
{
    Q_OBJECT

private slots:
    void halves_data();
    void halves();
};

namespace {

char letterOf(AutoHalving::Verdict verdict)
{
    switch (verdict) {
    case AutoHalving::Verdict::GoOn:
        return '=';
    case AutoHalving::Verdict::GoOnSmaller:
        return '<';
    case AutoHalving::Verdict::RetrySmaller:
        return 'R';
    case AutoHalving::Verdict::NothingFits:
        break;
    }
    return '!';
}

} // namespace

void AutoHalvingTest::halves_data()
{
    QTest::addColumn<std::int64_t>("start");
    QTest::addColumn<QByteArray>("story");
    QTest::addColumn<QByteArray>("verdicts");
    QTest::addColumn<std::int64_t>("size");
    const auto row = [](const char* name, std::int64_t start, const char* story, const char* verdicts,
                        std::int64_t size) {
        QTest::newRow(name) << start << QByteArray(story) << QByteArray(verdicts) << size;
    };
    row("calm", 8, "...", "===", 8);
    row("once", 8, "o..", "R==", 4);
    row("until it fits", 8, "oo.", "RR=", 2);
    row("odd", 7, "oo.", "RR=", 1);
    row("in the middle", 8, "..o.", "==R=", 4);
    row("not even one", 4, "ooo", "RR!", 1);
    row("one to begin with", 1, "o", "!", 1);
    row("never grows", 8, "o........", "R========", 4);
    row("retries once", 8, "r.r.r", "=====", 8);
    row("thrashes", 8, "rr.", "=<=", 4);
    row("thrashes on", 8, "rrrr", "=<=<", 2);
    row("counts anew after it was halved", 8, "rrr.", "=<==", 4);
    row("retries around a halving", 8, "ror", "=R=", 4);
    row("thrashes after a halving", 8, "orr", "R=<", 2);
    row("thrashes at one", 1, "rrrr", "====", 1);
}

void AutoHalvingTest::halves()
{
    QFETCH(std::int64_t, start);
    QFETCH(QByteArray, story);
    QFETCH(QByteArray, verdicts);
    QFETCH(std::int64_t, size);
    AutoHalving halving(start);
    QByteArray heard;
    for (const char event : story)
        heard +=
            letterOf(event == 'o' ? halving.recordOutOfMemory() : halving.recordStep(event == 'r' ? 3 : 0));
    QCOMPARE(heard, verdicts);
    QCOMPARE(halving.size(), size);
}

BATCHPEAK_TEST(AutoHalvingTest)
#include "tst_auto_halving.moc"

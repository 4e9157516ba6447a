// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/micro_batches.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using batchpeak::accumulation::AutoHalving;

namespace {

/// Attempts of a run, with a letter for each: "o" runs out of memory, "." is a step without retries of the
/// allocator, "r" a step with retries. Expected verdicts: "=" continues, "<" continues with a smaller size,
/// "R" retries with a smaller size, "!" means that nothing fits.
struct Story
{
    std::int64_t start;
    QByteArray attempts, verdicts;
    std::int64_t size;
};

char letterOf(AutoHalving::Verdict verdict)
{
    switch (verdict) {
    case AutoHalving::Verdict::Continue:
        return '=';
    case AutoHalving::Verdict::ContinueSmaller:
        return '<';
    case AutoHalving::Verdict::RetrySmaller:
        return 'R';
    case AutoHalving::Verdict::NothingFits:
        break;
    }
    return '!';
}

} // namespace

class AutoHalvingTest : public QObject
{
    Q_OBJECT

private slots:
    void halves_data()
    {
        rows<Story>({{"calm", {8, "...", "===", 8}},
                     {"once", {8, "o..", "R==", 4}},
                     {"until it fits", {8, "oo.", "RR=", 2}},
                     {"odd", {7, "oo.", "RR=", 1}},
                     {"in the middle", {8, "..o.", "==R=", 4}},
                     {"not even one", {4, "ooo", "RR!", 1}},
                     {"one to begin with", {1, "o", "!", 1}},
                     {"never grows", {8, "o........", "R========", 4}},
                     {"retries once", {8, "r.r.r", "=====", 8}},
                     {"thrashes", {8, "rr.", "=<=", 4}},
                     {"thrashes on", {8, "rrrr", "=<=<", 2}},
                     {"counts anew after it was halved", {8, "rrr.", "=<==", 4}},
                     {"retries around a halving", {8, "ror", "=R=", 4}},
                     {"thrashes after a halving", {8, "orr", "R=<", 2}},
                     {"thrashes at one", {1, "rrrr", "====", 1}}});
    }
    void halves()
    {
        const auto& [start, attempts, verdicts, size] = row<Story>();
        AutoHalving halving(start);
        QByteArray actual;
        for (const char attempt : attempts) {
            actual += letterOf(attempt == 'o' ? halving.recordOutOfMemory()
                                              : halving.recordStep(attempt == 'r' ? 3 : 0));
        }
        QCOMPARE(actual, verdicts);
        QCOMPARE(halving.size(), size);
    }
};

BATCHPEAK_TEST(AutoHalvingTest)
#include "tst_auto_halving.moc"

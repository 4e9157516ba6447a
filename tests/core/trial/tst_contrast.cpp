// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "trial/contrast.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace batchpeak;
using trial::ComparedRecord;
using trial::contrastOf;

namespace {

ComparedRecord visited(std::int64_t size, const std::vector<double>& samplesPerSecond)
{
    ComparedRecord record{.microBatchSize = size};
    for (const double speed : samplesPerSecond)
        record.visits.push_back({.samplesPerSecond = speed});
    return record;
}

} // namespace

class ContrastTest : public QObject
{
    Q_OBJECT

private slots:
    void namesTheFastestTwo()
    {
        const auto contrast =
            contrastOf({visited(24, {100, 100, 100, 100}), visited(28, {102, 102, 102, 102}),
                        visited(32, {101, 101, 101, 101})});
        QCOMPARE(contrast->leader, 28);
        QCOMPARE(contrast->runnerUp, 32);
        QVERIFY(std::abs(contrast->lead - 1.0 / 101.0) < 1e-12);
        QVERIFY(*contrast->standardError < 1e-9);
    }

    // The device slows down by 1 % from visit to visit: 24 28 28 24 24 28 28 24.
    void cancelsASteadyDrift()
    {
        const auto at = [](int visit, double speed) { return speed * std::pow(0.99, visit); };
        const auto contrast = contrastOf({visited(24, {at(0, 100), at(3, 100), at(4, 100), at(7, 100)}),
                                          visited(28, {at(1, 101), at(2, 101), at(5, 101), at(6, 101)})});
        QCOMPARE(contrast->leader, 28);
        QVERIFY(std::abs(contrast->lead - 0.01) < 1e-12);
        QVERIFY(*contrast->standardError < 1e-9);
    }

    // The two rounds there and back have log leads of 2 % and 4 %, so their mean has a standard error of 1 %.
    void reportsItsStandardError()
    {
        const auto speed = [](double logarithm) { return std::exp(logarithm); };
        const auto contrast = contrastOf(
            {visited(8, {1, 1, 1, 1}), visited(16, {speed(0.01), speed(0.03), speed(0.04), speed(0.04)})});
        QVERIFY(std::abs(std::log1p(contrast->lead) - 0.03) < 1e-12);
        QVERIFY(std::abs(*contrast->standardError - 0.01) < 1e-12);
    }

    void omitsUnknownValues_data()
    {
        const auto add = rows<std::vector<ComparedRecord>, bool, bool>();
        add("nothing", {{}, false, false});
        add("no visits", {{visited(8, {}), visited(16, {})}, false, false});
        add("one size", {{visited(8, {1, 1}), visited(16, {})}, false, false});
        add("one visit", {{visited(8, {1, 1}), visited(16, {2})}, true, false});
        add("one round", {{visited(8, {1, 1}), visited(16, {2, 2})}, true, false});
        add("a round and a half", {{visited(8, {1, 1, 1}), visited(16, {2, 2, 2})}, true, false});
        add("two rounds", {{visited(8, {1, 1, 1, 1}), visited(16, {2, 2, 2, 2})}, true, true});
    }
    void omitsUnknownValues()
    {
        const auto& [compared, hasLead, hasError] = row<std::vector<ComparedRecord>, bool, bool>();
        const auto contrast = contrastOf(compared);
        QCOMPARE(contrast.has_value(), hasLead);
        QCOMPARE(contrast && contrast->standardError, hasError);
        if (hasLead)
            QCOMPARE(contrast->leader, 16);
    }
};

BATCHPEAK_TEST(ContrastTest)
#include "tst_contrast.moc"

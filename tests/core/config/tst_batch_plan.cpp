// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/batch_plan.h"
#include "config/config_document.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using namespace batchpeak::config;

namespace {

/// Global batch on devices in micro-batches of a size, and how it is expected to be spread over them.
struct Spread
{
    std::int64_t batch;
    std::int64_t devices;
    std::int64_t size;
    std::int64_t perDevice;
    std::int64_t steps;
    std::int64_t even;
    bool isExact = false;
};

} // namespace

class BatchPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void spreadsSamples_data()
    {
        constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
        rows<Spread>({
            {"divides",
             {.batch = 528,
              .devices = 1,
              .size = 88,
              .perDevice = 528,
              .steps = 6,
              .even = 88,
              .isExact = true}},
            {"on two devices",
             {.batch = 528,
              .devices = 2,
              .size = 88,
              .perDevice = 264,
              .steps = 3,
              .even = 88,
              .isExact = true}},
            {"on four devices, uneven",
             {.batch = 528, .devices = 4, .size = 88, .perDevice = 132, .steps = 2, .even = 66}},
            {"does not divide",
             {.batch = 220, .devices = 1, .size = 24, .perDevice = 220, .steps = 10, .even = 22}},
            {"devices do not divide",
             {.batch = 7, .devices = 2, .size = 2, .perDevice = 4, .steps = 2, .even = 2}},
            {"larger than the batch",
             {.batch = 100, .devices = 1, .size = 300, .perDevice = 100, .steps = 1, .even = 100}},
            {"largest numbers",
             {.batch = largest,
              .devices = 1,
              .size = largest,
              .perDevice = largest,
              .steps = 1,
              .even = largest,
              .isExact = true}},
        });
    }
    void spreadsSamples()
    {
        const auto& [batch, devices, size, perDevice, steps, even, isExact] = row<Spread>();
        const BatchPlan plan{.globalBatchSize = batch, .devices = devices};
        QCOMPARE(plan.perDeviceBatch(), perDevice);
        QCOMPARE(plan.accumulationSteps(size), steps);
        QCOMPARE(plan.evenMicroBatch(size), even);
        QCOMPARE(plan.dividesExactly(size), isExact);
    }

    void readsTheCommandLine_data()
    {
        rows<std::string, std::string>({
            {"explore", {"explore", "explore"}},
            {"auto", {"auto", "auto"}},
            {"null", {"null", "null"}},
            {"none", {"none", "null"}},
            {"a size", {"20", "20"}},
            {"nothing", {"", ""}},
            {"zero", {"0", ""}},
            {"negative", {"-4", ""}},
            {"not whole", {"2.5", ""}},
            {"too large", {"99999999999999999999", ""}},
            {"another word", {"Auto", ""}},
        });
    }
    void readsTheCommandLine()
    {
        const auto& [word, expected] = row<std::string, std::string>();
        if (expected.empty())
            QVERIFY_EXCEPTION_THROWN(settingFromText(word), ConfigError);
        else
            QCOMPARE(toText(settingFromText(word)), expected);
    }

    void writesBounds_data()
    {
        rows<Explore, std::string>({
            {"none", {Explore{}, "explore"}},
            {"minimum", {Explore{.minimum = 2}, "{explore: {min: 2}}"}},
            {"maximum", {Explore{.maximum = 64}, "{explore: {max: 64}}"}},
            {"both", {Explore{.minimum = 2, .maximum = 64}, "{explore: {min: 2, max: 64}}"}},
        });
    }
    void writesBounds()
    {
        const auto& [explore, expected] = row<Explore, std::string>();
        QCOMPARE(toText(Setting(explore)), expected);
    }
};

BATCHPEAK_TEST(BatchPlanTest)
#include "tst_batch_plan.moc"

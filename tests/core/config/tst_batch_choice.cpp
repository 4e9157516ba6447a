// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/batch_plan.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using namespace batchpeak::config;

namespace {

constexpr TextPosition position{.line = 3, .column = 7};

BatchPlan planOf(std::int64_t batch, std::int64_t devices)
{
    return {.globalBatchSize = batch, .devices = devices};
}

} // namespace

class BatchChoiceTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsTheBatch_data()
    {
        rows<std::int64_t, std::int64_t, std::int64_t, std::int64_t>({
            {"one device", {32, 1, 8, 4}},
            {"the whole batch", {32, 1, 32, 1}},
            {"four devices", {256, 4, 16, 4}},
            {"no power of two", {1536, 3, 512, 1}},
        });
    }
    void keepsTheBatch()
    {
        const auto& [batch, devices, size, steps] =
            row<std::int64_t, std::int64_t, std::int64_t, std::int64_t>();
        const WholeBatch whole = wholeBatch(planOf(batch, devices), {.microBatchSize = size}, position);
        QCOMPARE(whole.globalBatchSize, batch);
        QCOMPARE(whole.accumulationSteps, steps);
    }

    void offersTheNearest_data()
    {
        rows<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::string>({
            {"between", {32, 1, 12, 24, 36, "A batch of 32 cannot be split into micro-batches of 12."}},
            {"nothing below", {2, 1, 3, 0, 3, "A batch of 2 cannot be split into micro-batches of 3."}},
            {"devices",
             {100, 4, 8, 96, 128, "A batch of 100 cannot be split into micro-batches of 8 on 4 devices."}},
            {"divides, but not on all devices",
             {48, 4, 24, 0, 96, "A batch of 48 cannot be split into micro-batches of 24 on 4 devices."}},
        });
    }
    void offersTheNearest()
    {
        const auto& [batch, devices, size, below, above, sentence] =
            row<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::string>();
        try {
            wholeBatch(planOf(batch, devices), {.microBatchSize = size}, position);
            QFAIL("a batch was found");
        } catch (const BatchNotKept& choice) {
            QCOMPARE(choice.below().value_or(0), below);
            QCOMPARE(choice.above(), above);
            QCOMPARE(choice.single(), size * devices);
            QCOMPARE(choice.position(), position);
            QCOMPARE(std::string(choice.what()), sentence);
        }
    }

    void acceptsAChosenBatch()
    {
        const ChosenSize chosen{.microBatchSize = 12, .globalBatchSize = 36};
        const WholeBatch whole = wholeBatch(planOf(32, 1), chosen, position);
        QCOMPARE(whole.globalBatchSize, std::int64_t{36});
        QCOMPARE(whole.accumulationSteps, std::int64_t{3});
    }

    void refuses_data()
    {
        rows<std::int64_t, std::int64_t, std::string>({
            {"a batch that is no multiple", {12, 30, "use a multiple of 12"}},
            {"no samples", {12, 0, "use a multiple"}},
            {"less than none", {12, -12, "use a multiple"}},
            {"a size of none", {0, 32, "of 1 to"}},
            {"a size beyond all", {std::numeric_limits<std::int64_t>::max(), 32, "of 1 to"}},
        });
    }
    void refuses()
    {
        const auto& [size, chosen, named] = row<std::int64_t, std::int64_t, std::string>();
        try {
            wholeBatch(planOf(32, 1), {.microBatchSize = size, .globalBatchSize = chosen}, position);
            QFAIL("a batch was found");
        } catch (const BatchNotKept& choice) {
            QFAIL(choice.what());
        } catch (const ConfigError& error) {
            QVERIFY2(std::string_view(error.what()).find(named) != std::string_view::npos, error.what());
        }
    }
};

BATCHPEAK_TEST(BatchChoiceTest)
#include "tst_batch_choice.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/batch_text.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using config::BatchPlan;

class BatchTextTest : public QObject
{
    Q_OBJECT

private slots:
    void namesSizesAsTheirTrainerDoes_data()
    {
        QTest::addColumn<BatchPlan>("plan");
        QTest::addColumn<QString>("size");
        QTest::addColumn<QString>("setting");
        QTest::newRow("Cerebras") << BatchPlan{.setting = config::Explore{.minimum = 2}}
                                  << QStringLiteral("micro_batch_size: 24")
                                  << QStringLiteral("micro_batch_size: {explore: {min: 2}}");
        QTest::newRow("a number that stands there")
            << BatchPlan{.setting = config::Explore{},
                         .presentSize = 16,
                         .microBatchKey = "per_device_train_batch_size"}
            << QStringLiteral("per_device_train_batch_size: 24")
            << QStringLiteral("per_device_train_batch_size: 16 now");
        QTest::newRow("another setting than the config's")
            << BatchPlan{.setting = config::Fixed{8}, .presentSize = 16, .microBatchKey = "batch_size"}
            << QStringLiteral("batch_size: 24") << QStringLiteral("batch_size: 8");
        QTest::newRow("an argument") << BatchPlan{.setting = config::Explore{},
                                                  .presentSize = 4,
                                                  .microBatchKey = "--micro-batch-size"}
                                     << QStringLiteral("--micro-batch-size 24")
                                     << QStringLiteral("--micro-batch-size 4 now");
    }
    void namesSizesAsTheirTrainerDoes()
    {
        QFETCH(BatchPlan, plan);
        QTEST(engine::sizeText(plan, 24), "size");
        QTEST(engine::settingText(plan), "setting");
    }

    void tellsWhetherThereAreMicroBatches()
    {
        QVERIFY(engine::hasMicroBatches({}));
        QVERIFY(!engine::hasMicroBatches(
            {.microBatchKey = "per_device_eval_batch_size", .globalBatchKey = "per_device_eval_batch_size"}));
    }
};

BATCHPEAK_TEST(BatchTextTest)
#include "tst_batch_text.moc"

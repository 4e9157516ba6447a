// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "text/batch_text.h"

#include <QTest>

using namespace batchpeak;
using config::BatchPlan;

class BatchTextTest : public QObject
{
    Q_OBJECT

private slots:
    void namesSizesAsTheirTrainerDoes_data()
    {
        const auto add = rows<BatchPlan, Text, Text>();
        add("Cerebras", {{.setting = config::Explore{.minimum = 2}},
                         "micro_batch_size: 24",
                         "micro_batch_size: {explore: {min: 2}}"});
        add("a number that stands there", {{.setting = config::Explore{},
                                            .presentSize = 16,
                                            .microBatchKey = "per_device_train_batch_size"},
                                           "per_device_train_batch_size: 24",
                                           "per_device_train_batch_size: 16 now"});
        add("another setting than the config's",
            {{.setting = config::Fixed{8}, .presentSize = 16, .microBatchKey = "batch_size"},
             "batch_size: 24",
             "batch_size: 8"});
        add("an argument",
            {{.setting = config::Explore{}, .presentSize = 4, .microBatchKey = "--micro-batch-size"},
             "--micro-batch-size 24",
             "--micro-batch-size 4 now"});
    }
    void namesSizesAsTheirTrainerDoes()
    {
        const auto& [plan, size, setting] = row<BatchPlan, Text, Text>();
        QCOMPARE(engine::sizeText(plan, 24), size);
        QCOMPARE(engine::settingText(plan), setting);
    }

    void reportsWhetherThereAreMicroBatches()
    {
        QVERIFY(engine::hasMicroBatches({}));
        QVERIFY(!engine::hasMicroBatches(
            {.microBatchKey = "per_device_eval_batch_size", .globalBatchKey = "per_device_eval_batch_size"}));
    }
};

BATCHPEAK_TEST(BatchTextTest)
#include "tst_batch_text.moc"

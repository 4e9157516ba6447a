// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/batch_plan.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

/// Sentences that are expected for a batch in micro-batches of a size.
struct Division
{
    BatchPlan plan;
    std::int64_t size = 1;
    std::string problem = "nothing";
    std::string spread = "nothing";
};

} // namespace

class BatchRulesTest : public QObject
{
    Q_OBJECT

private slots:
    void explainsDivisions_data()
    {
        rows<Division>({
            {"whole", {.plan = {.globalBatchSize = 48, .devices = 2}, .size = 12}},
            {"a rest on each device",
             {.plan = {.globalBatchSize = 48, .devices = 2},
              .size = 20,
              .problem =
                  "The 48 samples of batch_size are no multiple of micro-batches of 20 on 2 "
                  "devices, which the strict rule refuses; choose a size that divides them, or leave out "
                  "--strict to spread them evenly.",
              .spread = "The micro_batch_size 20 does not divide the 24 samples of a device's step; "
                        "they run as 2 micro-batches of at most 12."}},
            // One device has 25 samples and the other 24; the first, which the sentence would name, has no
            // remainder.
            {"devices at odds",
             {.plan = {.globalBatchSize = 49, .devices = 2},
              .size = 25,
              .problem =
                  "The 49 samples of batch_size are no multiple of micro-batches of 25 on 2 "
                  "devices, which the strict rule refuses; choose a size that divides them, or leave out "
                  "--strict to spread them evenly."}},
            {"more than there are",
             {.plan = {.globalBatchSize = 3},
              .size = 4,
              .problem =
                  "The 3 samples of batch_size are no multiple of micro-batches of 4, which "
                  "the strict rule refuses; choose a size that divides them, or leave out --strict to spread "
                  "them evenly.",
              .spread = "The micro_batch_size 4 does not divide the 3 samples of a device's step; "
                        "they run as 1 micro-batch of 3."}},
        });
    }
    void explainsDivisions()
    {
        const auto& [plan, size, problem, spread] = row<Division>();
        QCOMPARE(strictRuleProblem(plan, size).value_or("nothing"), problem);
        QCOMPARE(evenSpreadText(plan, size).value_or("nothing"), spread);
    }

    void namesTheKeyOfTheTrainer()
    {
        const BatchPlan plan{
            .globalBatchSize = 32, .devices = 4, .globalBatchKey = "model.global_batch_size"};
        QCOMPARE(QString::fromStdString(divisionText(plan, 4)),
                 QStringLiteral("32 samples of model.global_batch_size are a multiple of micro-batches of 4 "
                                "on 4 devices"));
    }
};

BATCHPEAK_TEST(BatchRulesTest)
#include "tst_batch_rules.moc"

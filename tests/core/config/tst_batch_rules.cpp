// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/batch_plan.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

QString textOf(const std::optional<std::string>& sentence)
{
    return QString::fromStdString(sentence.value_or("nothing"));
}

} // namespace

class BatchRulesTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatADivisionMeans_data()
    {
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("spread");
        const QString none = QStringLiteral("nothing");
        QTest::newRow("whole") << qint64{48} << qint64{2} << qint64{12} << none << none;
        QTest::newRow("a rest on each device")
            << qint64{48} << qint64{2} << qint64{20}
            << QStringLiteral(
                   "The 48 samples of batch_size are no multiple of micro-batches of 20 on 2 "
                   "devices, which the strict rule refuses; choose a size that divides them, or leave out "
                   "--strict to spread them evenly.")
            << QStringLiteral(
                   "The micro_batch_size 20 does not divide the 24 samples of one device and step; "
                   "they run as 2 micro-batches of at most 12.");
        // 25 on one device and 24 on the other: no rest on the one that is named.
        QTest::newRow("devices at odds")
            << qint64{49} << qint64{2} << qint64{25}
            << QStringLiteral(
                   "The 49 samples of batch_size are no multiple of micro-batches of 25 on 2 "
                   "devices, which the strict rule refuses; choose a size that divides them, or leave out "
                   "--strict to spread them evenly.")
            << none;
        QTest::newRow("more than there are")
            << qint64{3} << qint64{1} << qint64{4}
            << QStringLiteral(
                   "The 3 samples of batch_size are no multiple of micro-batches of 4, which the "
                   "strict rule refuses; choose a size that divides them, or leave out --strict to spread "
                   "them evenly.")
            << QStringLiteral("The micro_batch_size 4 does not divide the 3 samples of one device and step; "
                              "they run as 1 micro-batch of 3.");
    }
    void saysWhatADivisionMeans()
    {
        QFETCH(qint64, batch);
        QFETCH(qint64, devices);
        QFETCH(qint64, size);
        const BatchPlan plan{.globalBatchSize = batch, .devices = devices};
        QTEST(textOf(strictRuleProblem(plan, size)), "problem");
        QTEST(textOf(evenSpreadText(plan, size)), "spread");
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

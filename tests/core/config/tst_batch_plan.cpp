// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/batch_plan.h"
#include "config/config_document.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using namespace batchpeak::config;

class BatchPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void spreadsSamples_data()
    {
        QTest::addColumn<qint64>("globalBatchSize");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<qint64>("microBatchSize");
        QTest::addColumn<qint64>("perDevice");
        QTest::addColumn<qint64>("steps");
        QTest::addColumn<qint64>("even");
        QTest::addColumn<bool>("exact");
        constexpr qint64 largest = std::numeric_limits<qint64>::max();
        QTest::newRow("divides") << qint64{528} << qint64{1} << qint64{88} << qint64{528} << qint64{6}
                                 << qint64{88} << true;
        QTest::newRow("on two devices")
            << qint64{528} << qint64{2} << qint64{88} << qint64{264} << qint64{3} << qint64{88} << true;
        QTest::newRow("on four devices, uneven")
            << qint64{528} << qint64{4} << qint64{88} << qint64{132} << qint64{2} << qint64{66} << false;
        QTest::newRow("does not divide")
            << qint64{220} << qint64{1} << qint64{24} << qint64{220} << qint64{10} << qint64{22} << false;
        QTest::newRow("devices do not divide")
            << qint64{7} << qint64{2} << qint64{2} << qint64{4} << qint64{2} << qint64{2} << false;
        QTest::newRow("larger than the batch")
            << qint64{100} << qint64{1} << qint64{300} << qint64{100} << qint64{1} << qint64{100} << false;
        QTest::newRow("largest numbers")
            << largest << qint64{1} << largest << largest << qint64{1} << largest << true;
    }
    void spreadsSamples()
    {
        QFETCH(qint64, globalBatchSize);
        QFETCH(qint64, devices);
        QFETCH(qint64, microBatchSize);
        const BatchPlan plan{.globalBatchSize = globalBatchSize, .devices = devices};
        QTEST(qint64{plan.perDeviceBatch()}, "perDevice");
        QTEST(qint64{plan.accumulationSteps(microBatchSize)}, "steps");
        QTEST(qint64{plan.evenMicroBatch(microBatchSize)}, "even");
        QTEST(plan.dividesExactly(microBatchSize), "exact");
    }

    void readsTheCommandLine_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("expected");
        QTest::newRow("explore") << QStringLiteral("explore") << QStringLiteral("explore");
        QTest::newRow("auto") << QStringLiteral("auto") << QStringLiteral("auto");
        QTest::newRow("null") << QStringLiteral("null") << QStringLiteral("null");
        QTest::newRow("none") << QStringLiteral("none") << QStringLiteral("null");
        QTest::newRow("a size") << QStringLiteral("20") << QStringLiteral("20");
        QTest::newRow("nothing") << QString() << QString();
        QTest::newRow("zero") << QStringLiteral("0") << QString();
        QTest::newRow("negative") << QStringLiteral("-4") << QString();
        QTest::newRow("not whole") << QStringLiteral("2.5") << QString();
        QTest::newRow("too large") << QStringLiteral("99999999999999999999") << QString();
        QTest::newRow("another word") << QStringLiteral("Auto") << QString();
    }
    void readsTheCommandLine()
    {
        QFETCH(QString, word);
        QFETCH(QString, expected);
        if (expected.isEmpty())
            QVERIFY_EXCEPTION_THROWN(settingFromText(word.toStdString()), ConfigError);
        else
            QCOMPARE(QString::fromStdString(toText(settingFromText(word.toStdString()))), expected);
    }

    void writesBounds_data()
    {
        QTest::addColumn<Explore>("explore");
        QTest::addColumn<QString>("expected");
        QTest::newRow("none") << Explore{} << QStringLiteral("explore");
        QTest::newRow("minimum") << Explore{.minimum = 2} << QStringLiteral("{explore: {min: 2}}");
        QTest::newRow("maximum") << Explore{.maximum = 64} << QStringLiteral("{explore: {max: 64}}");
        QTest::newRow("both") << Explore{.minimum = 2, .maximum = 64}
                              << QStringLiteral("{explore: {min: 2, max: 64}}");
    }
    void writesBounds()
    {
        QFETCH(Explore, explore);
        QTEST(QString::fromStdString(toText(Setting(explore))), "expected");
    }
};

BATCHPEAK_TEST(BatchPlanTest)
#include "tst_batch_plan.moc"

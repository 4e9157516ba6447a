// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/batch_choice.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using namespace batchpeak::config;

namespace {

const std::string what = "micro_batch_size * gradient_accumulation_steps";
constexpr TextPosition position{.line = 3, .column = 7};

BatchPlan planOf(qint64 batch, qint64 devices)
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
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("steps");
        QTest::newRow("one device") << qint64{32} << qint64{1} << qint64{8} << qint64{4};
        QTest::newRow("the whole batch") << qint64{32} << qint64{1} << qint64{32} << qint64{1};
        QTest::newRow("four devices") << qint64{256} << qint64{4} << qint64{16} << qint64{4};
        QTest::newRow("no power of two") << qint64{1536} << qint64{3} << qint64{512} << qint64{1};
    }
    void keepsTheBatch()
    {
        QFETCH(qint64, batch);
        QFETCH(qint64, devices);
        QFETCH(qint64, size);
        const WholeBatch whole = wholeBatch(planOf(batch, devices), {.microBatchSize = size}, what, position);
        QCOMPARE(qint64{whole.globalBatchSize}, batch);
        QTEST(qint64{whole.accumulationSteps}, "steps");
    }

    void offersTheNearest_data()
    {
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("below");
        QTest::addColumn<qint64>("above");
        QTest::newRow("between") << qint64{32} << qint64{1} << qint64{12} << qint64{24} << qint64{36};
        QTest::newRow("nothing below") << qint64{32} << qint64{1} << qint64{33} << qint64{0} << qint64{33};
        QTest::newRow("devices") << qint64{100} << qint64{4} << qint64{8} << qint64{96} << qint64{128};
        QTest::newRow("divides, but not on all devices")
            << qint64{48} << qint64{4} << qint64{24} << qint64{0} << qint64{96};
    }
    void offersTheNearest()
    {
        QFETCH(qint64, batch);
        QFETCH(qint64, devices);
        QFETCH(qint64, size);
        try {
            wholeBatch(planOf(batch, devices), {.microBatchSize = size}, what, position);
            QFAIL("a batch was found");
        } catch (const BatchNotKept& choice) {
            QTEST(qint64{choice.below().value_or(0)}, "below");
            QTEST(qint64{choice.above()}, "above");
            QCOMPARE(choice.position(), position);
            QVERIFY2(QString::fromUtf8(choice.what()).contains(QString::number(choice.above())),
                     choice.what());
            QVERIFY2(QString::fromUtf8(choice.what()).contains(QString::fromStdString(what)), choice.what());
        }
    }

    void takesWhatWasChosen()
    {
        const ChosenSize chosen{.microBatchSize = 12, .globalBatchSize = 36};
        const WholeBatch whole = wholeBatch(planOf(32, 1), chosen, what, position);
        QCOMPARE(whole.globalBatchSize, std::int64_t{36});
        QCOMPARE(whole.accumulationSteps, std::int64_t{3});
    }

    void refuses_data()
    {
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("chosen");
        QTest::addColumn<QString>("named");
        QTest::newRow("a batch that is no multiple")
            << qint64{12} << qint64{30} << QStringLiteral("no multiple of 12");
        QTest::newRow("no samples") << qint64{12} << qint64{0} << QStringLiteral("no multiple");
        QTest::newRow("less than none") << qint64{12} << qint64{-12} << QStringLiteral("no multiple");
        QTest::newRow("a size of none") << qint64{0} << qint64{32} << QStringLiteral("of 1 to");
        QTest::newRow("a size beyond all")
            << std::numeric_limits<qint64>::max() << qint64{32} << QStringLiteral("of 1 to");
    }
    void refuses()
    {
        QFETCH(qint64, size);
        QFETCH(qint64, chosen);
        QFETCH(QString, named);
        try {
            wholeBatch(planOf(32, 1), {.microBatchSize = size, .globalBatchSize = chosen}, what, position);
            QFAIL("a batch was found");
        } catch (const BatchNotKept& choice) {
            QFAIL(choice.what());
        } catch (const ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
        }
    }
};

BATCHPEAK_TEST(BatchChoiceTest)
#include "tst_batch_choice.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "large_texts.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

/// Texts of a size or shape that no person writes: read where they are configs, refused where not. Of what it
/// costs the bench tells (make bench-config).
class ConfigLimitsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsAndWritesMegabytes_data()
    {
        QTest::addColumn<std::string>("text");
        for (const MadeText& made : largeConfigs(1'000'000))
            QTest::newRow(made.name) << made.text;
    }
    void readsAndWritesMegabytes()
    {
        QFETCH(std::string, text);
        const std::string after =
            recognise(text)->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 66}).text;
        const auto [removed, added] = differenceOf(text, after);
        QCOMPARE(removed, std::string("88"));
        QCOMPARE(added, std::string("66"));
    }

    void refusesHostileTexts_data()
    {
        QTest::addColumn<std::string>("text");
        for (const MadeText& made : hostileTexts())
            QTest::newRow(made.name) << made.text;
    }
    void refusesHostileTexts()
    {
        QFETCH(std::string, text);
        const ReadingError error = errorOfReading(text);
        QVERIFY2(error.sentence.endsWith(QLatin1Char('.')), qPrintable(error.sentence));
        QVERIFY2(error.sentence.size() < 1000, qPrintable(error.sentence));
    }
};

BATCHPEAK_TEST(ConfigLimitsTest)
#include "tst_config_limits.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/readable_text.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::engine;

class ReadableTextTest : public QObject
{
    Q_OBJECT

private slots:
    void wordsEnergy_data()
    {
        QTest::addColumn<double>("joules");
        QTest::addColumn<QString>("text");
        QTest::newRow("thousands") << 12345.0 << QStringLiteral("12.3 kJ/sample");
        QTest::newRow("just below a thousand") << 999.9 << QStringLiteral("1.00 kJ/sample");
        QTest::newRow("hundreds") << 432.1 << QStringLiteral("432 J/sample");
        QTest::newRow("just below a hundred") << 99.96 << QStringLiteral("100 J/sample");
        QTest::newRow("tens") << 12.34 << QStringLiteral("12.3 J/sample");
        QTest::newRow("some") << 1.234 << QStringLiteral("1.23 J/sample");
        QTest::newRow("a part of one") << 0.0421 << QStringLiteral("42.1 mJ/sample");
        QTest::newRow("hardly any") << 0.00000321 << QStringLiteral("3.21 µJ/sample");
        QTest::newRow("less than that") << 0.0000000321 << QStringLiteral("0.03 µJ/sample");
    }
    void wordsEnergy()
    {
        QFETCH(double, joules);
        QFETCH(QString, text);
        QCOMPARE(energyPerSampleText(joules, QLocale::c()), text);
    }

    void wordsEnergyAsTheUserWritesNumbers()
    {
        QCOMPARE(energyPerSampleText(1.5, QLocale(QLocale::German)), QStringLiteral("1,50 J/sample"));
    }
};

BATCHPEAK_TEST(ReadableTextTest)
#include "tst_readable_text.moc"

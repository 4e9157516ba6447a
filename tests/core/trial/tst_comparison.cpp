// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "trial/comparison.h"

#include <QTest>

using namespace batchpeak::trial;

class ComparisonTest : public QObject
{
    Q_OBJECT

private slots:
    void returnsTheTypicalStepOfEachVisit()
    {
        const std::vector<Visit> visits{{.stepSeconds = {0.2, 9.0, 0.3}}, {.stepSeconds = {0.4}}};
        QCOMPARE(typicalStepSecondsOf(visits), (std::vector<double>{0.3, 0.4}));
        QVERIFY(typicalStepSecondsOf({}).empty());
    }
};

BATCHPEAK_TEST(ComparisonTest)
#include "tst_comparison.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "ui/size_line.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;

class SizeLineTest : public QObject
{
    Q_OBJECT

private slots:
    void copiesTheSizeAsItsConfigWritesIt_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("line");
        QTest::newRow("YAML") << QByteArray("per_device_train_batch_size") << QByteArray("a: {b: 1}\n")
                              << QStringLiteral("per_device_train_batch_size: 96");
        QTest::newRow("JSON") << QByteArray("train_micro_batch_size_per_gpu") << QByteArray("\n {\"a\": 1}")
                              << QStringLiteral("\"train_micro_batch_size_per_gpu\": 96");
        QTest::newRow("JSON with a byte order mark")
            << QByteArray("train_micro_batch_size_per_gpu") << QByteArray("\xEF\xBB\xBF{}")
            << QStringLiteral("\"train_micro_batch_size_per_gpu\": 96");
        QTest::newRow("arguments") << QByteArray("--micro-batch-size") << QByteArray("#!/bin/bash\n")
                                   << QStringLiteral("--micro-batch-size 96");
    }
    void copiesTheSizeAsItsConfigWritesIt()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, text);
        QFETCH(QString, line);
        const config::BatchPlan plan{.microBatchKey = key.toStdString()};
        QCOMPARE(sizeLine(plan, 96, text.toStdString()), line);
    }
};

BATCHPEAK_TEST(SizeLineTest)
#include "tst_size_line.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::config;

/// What is said of a text that is no config of any known format.
class RecognitionTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatIsNearest_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::newRow("nothing known") << QByteArray("a: 1\n") << QStringLiteral("None of their keys");
        QTest::newRow("half of Cerebras params")
            << QByteArray("runconfig: {max_steps: 5}\noptimizer: {optimizer_type: adamw}\n")
            << QStringLiteral("nearest is Cerebras params, of which it has optimizer, runconfig");
        QTest::newRow("half of a Trainer")
            << QByteArray("trainer: {fit: {train_dataloader: {batch_size: 2}}}\n")
            << QStringLiteral("nearest is Cerebras Trainer");
        QTest::newRow("a list") << QByteArray("- 1\n- 2\n") << QStringLiteral("None of their keys");
        QTest::newRow("what was looked for")
            << QByteArray("a: 1\n") << QStringLiteral("trainer.init (Cerebras Trainer)");
        QTest::newRow("broken YAML") << QByteArray("train_input: [1\n") << QStringLiteral("not valid YAML");
    }
    void saysWhatIsNearest()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
    }
};

BATCHPEAK_TEST(RecognitionTest)
#include "tst_recognition.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

/// The whole line once, with the real worker: a config, live trials on the CPU, and back into a config.
class ExploreExampleTest : public QObject
{
    Q_OBJECT

private slots:
    void exploresAnExample_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("parameters");
        QTest::newRow("GPT-2, params")
            << QStringLiteral("gpt2-tiny.yaml") << QStringLiteral("1,071,872 parameters");
        QTest::newRow("LLaMA, Trainer")
            << QStringLiteral("llama-tiny.yaml") << QStringLiteral("1,250,432 parameters");
        QTest::newRow("Mixtral, params")
            << QStringLiteral("mixtral-tiny.yaml") << QStringLiteral("1,152,640 parameters");
        QTest::newRow("BLOOM, params")
            << QStringLiteral("bloom-tiny.yaml") << QStringLiteral("1,055,744 parameters");
        QTest::newRow("ViT, our own layout")
            << QStringLiteral("vit-tiny.yaml") << QStringLiteral("809,354 parameters");
        QTest::newRow("Qwen3, our own layout")
            << QStringLiteral("qwen3-tiny.yaml") << QStringLiteral("1,086,976 parameters");
        QTest::newRow("ResNet, our own layout")
            << QStringLiteral("resnet18-tiny.yaml") << QStringLiteral("703,386 parameters");
        QTest::newRow("BERT, params")
            << QStringLiteral("bert-tiny.yaml") << QStringLiteral("1,107,714 parameters");
        QTest::newRow("T5, Trainer") << QStringLiteral("t5-tiny.yaml")
                                     << QStringLiteral("1,640,832 parameters");
    }
    void exploresAnExample()
    {
        QFETCH(QString, config);
        QFETCH(QString, parameters);
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run =
            runProgram({QStringLiteral("explore"), examplePath(config), QStringLiteral("--device"),
                        QStringLiteral("cpu"), QStringLiteral("--max-trials"), QStringLiteral("3"),
                        QStringLiteral("--output"), target});
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(parameters), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("BEXP202")), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("recommended")), run.text());

        const QByteArrayList before = bytesOf(examplePath(config)).split('\n');
        const QByteArrayList after = bytesOf(target).split('\n');
        QCOMPARE(after.size(), before.size());
        int changed = 0;
        for (qsizetype line = 0; line < before.size(); ++line)
            changed += before.at(line) == after.at(line) ? 0 : 1;
        QCOMPARE(changed, 1);
    }

    void saysThatNothingFits()
    {
        const ProgramRun run =
            runProgram({QStringLiteral("explore"), examplePath(QStringLiteral("llama-tiny.yaml")),
                        QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--memory-limit"),
                        QStringLiteral("4MiB")});
        QVERIFY2(run.exitCode == 2, run.text());
        QVERIFY2(run.err.contains(QStringLiteral("not even 1")), run.text());
    }
};

BATCHPEAK_TEST(ExploreExampleTest)
#include "tst_explore_example.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

/// Tests the whole sequence once with the real worker: a config, live trials on the CPU, and the result
/// written back into a config.
class ExploreExampleTest : public QObject
{
    Q_OBJECT

private slots:
    void exploresAnExample_data()
    {
        rows<const char*, const char*>(
            {{"GPT-2, params", {"gpt2-tiny.yaml", "1,071,872 parameters"}},
             {"LLaMA, Trainer", {"llama-tiny.yaml", "1,250,432 parameters"}},
             {"Mixtral, params", {"mixtral-tiny.yaml", "1,152,640 parameters"}},
             {"BLOOM, params", {"bloom-tiny.yaml", "1,055,744 parameters"}},
             {"ViT, our own layout", {"vit-tiny.yaml", "809,354 parameters"}},
             {"Qwen3, our own layout", {"qwen3-tiny.yaml", "1,086,976 parameters"}},
             {"ResNet, our own layout", {"resnet18-tiny.yaml", "703,386 parameters"}},
             {"BERT, params", {"bert-tiny.yaml", "1,107,714 parameters"}},
             {"T5, Trainer", {"t5-tiny.yaml", "1,640,832 parameters"}}});
    }
    void exploresAnExample()
    {
        const auto& [config, parameters] = row<const char*, const char*>();
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(
            QStringList{QStringLiteral("explore"), examplePath(config), QStringLiteral("--output"), target} +
            words("--device cpu --max-trials 2 --max 8 --min-confidence 0"));
        QVERIFY2(run.succeeded({parameters, "BEXP202", "recommended"}), run.text());

        const QByteArrayList before = bytesOf(examplePath(config)).split('\n');
        const QByteArrayList after = bytesOf(target).split('\n');
        QCOMPARE(after.size(), before.size());
        int changed = 0;
        for (qsizetype line = 0; line < before.size(); ++line)
            changed += before.at(line) == after.at(line) ? 0 : 1;
        QCOMPARE(changed, 1);
    }

    void reportsThatNothingFits()
    {
        const ProgramRun run =
            runProgram(QStringList{QStringLiteral("explore"), examplePath("llama-tiny.yaml")} +
                       words("--device cpu --memory-limit 4MiB"));
        QVERIFY2(run.exitCode == 2, run.text());
        QVERIFY2(run.remarks("not even 1"), run.text());
    }
};

BATCHPEAK_TEST(ExploreExampleTest)
#include "tst_explore_example.moc"

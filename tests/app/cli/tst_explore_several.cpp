// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/explore_several.h"
#include "program_run.h"
#include "support/files.h"
#include "support/processes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using cli::FoundSize;

/// Tests explorations of several configs, and of devices that are unlike.
class ExploreSeveralTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        QVERIFY(m_folder.isValid());
        for (const char* name : {"a.yaml", "b.yaml", "c.yaml"})
            test::writeFile(m_folder.filePath(QString::fromUtf8(name)), exampleWithSize("auto"));
    }

    void findsOneSizeForEach()
    {
        const ProgramRun run = runProgram(several("a.yaml b.yaml c.yaml", "--in-place"));
        QVERIFY2(run.succeeded({"a.yaml: micro_batch_size ", "b.yaml: micro_batch_size ",
                                "c.yaml: micro_batch_size ", "b.yaml: recommended"}),
                 run.text());
        QVERIFY2(run.remarks("c.yaml: trial 1 on cpu"), run.text());
        for (const char* name : {"a.yaml", "b.yaml", "c.yaml"})
            QVERIFY(!bytesOf(m_folder.filePath(QString::fromUtf8(name))).contains("micro_batch_size: auto"));
    }

    void goesOnBesideOneThatFails()
    {
        test::writeFile(m_folder.filePath(QStringLiteral("a.yaml")), "a: [1");
        QVERIFY(runProgram(several("a.yaml b.yaml", "")).refused({"a.yaml"}));
    }

    void refusesWhatIsForOne_data()
    {
        rows<Text>({{"events", {"--events x.jsonl"}},
                    {"output", {"--output x.yaml"}},
                    {"diff", {"--diff"}},
                    {"model", {"--model gpt2"}},
                    {"resume", {"--resume"}}});
    }
    void refusesWhatIsForOne()
    {
        const ProgramRun run = runProgram(several("a.yaml b.yaml", row<Text>().toUtf8()));
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.out.isEmpty(), run.text());
    }

    void namesWhatASharedSizeCosts()
    {
        const std::vector<FoundSize> found{{.devices = QStringLiteral("H200"),
                                            .size = 64,
                                            .samplesPerSecond = 800.0,
                                            .confidence = 96,
                                            .speeds = {{16, 400.0}, {32, 600.0}, {64, 800.0}}},
                                           {.devices = QStringLiteral("A100"),
                                            .size = 32,
                                            .samplesPerSecond = 300.0,
                                            .confidence = 97,
                                            .speeds = {{32, 300.0}}}};
        QCOMPARE(cli::sharedSize(found), 32);
        const QStringList lines = cli::foundLines(QStringLiteral("x.yaml"), found);
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[0].contains(QLatin1String("75")), qPrintable(lines[0]));
        QVERIFY2(!lines[1].contains(QLatin1String("of that")), qPrintable(lines[1]));
        QVERIFY2(lines[2].contains(QLatin1String("micro_batch_size 32")), qPrintable(lines[2]));
    }

private:
    QStringList several(const char* names, const QByteArray& more)
    {
        QStringList arguments{QStringLiteral("explore")};
        for (const QString& name : words(names))
            arguments << m_folder.filePath(name);
        arguments += words("--fresh --no-verify --on env --on nice --worker");
        arguments << QStringLiteral(BATCHPEAK_FAKE_WORKER);
        return arguments + words(more.constData());
    }

    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(ExploreSeveralTest)
#include "tst_explore_several.moc"

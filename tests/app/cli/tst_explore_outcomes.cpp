// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

/// "batchpeak explore" with workers of every kind: what it says, writes and returns.
class ExploreOutcomesTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithTheRightCode_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* behaviour, const QStringList& options, int code,
                            const char* said) {
            QTest::newRow(name) << QString::fromUtf8(behaviour) << options << code << QString::fromUtf8(said);
        };
        const QStringList fewTrials{QStringLiteral("--max-trials"), QStringLiteral("3")};
        row("good", "", fewTrials, 0, "micro_batch_size: ");
        row("nothing fits", "base=3000000000", {}, 2, "not even 1");
        const QStringList oneSize{QStringLiteral("--setting"), QStringLiteral("32")};
        row("one size verified", "", oneSize, 0, "micro_batch_size: 32");
        row("the one size does not fit", "slope=100000000", oneSize, 2, "not even 32, the smallest");
        row("not even the network fits", "base=3000000000", oneSize, 2, "not even 1. The network alone");
        row("worker ends at once", "start=exit", {}, 3, "batchpeak: ");
        row("worker refuses", "start=refuse", {}, 3, "refuses to start");
        row("network not loaded", "load=error", {}, 3, "batchpeak: ");
        row("one lost trial", "trial=exit@2", fewTrials, 0, "micro_batch_size: ");
        row("every trial lost", "trial=exit", {}, 3, "batchpeak: ");
    }
    void endsWithTheRightCode()
    {
        QFETCH(QString, behaviour);
        QFETCH(QStringList, options);
        QFETCH(int, exitCode);
        QFETCH(QString, said);
        const ProgramRun run = runProgram(exploreArguments(behaviour, options));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2((exitCode == 0 ? run.out : run.err).contains(said), run.text());
    }

    void saysEachRecommendationInOneLine()
    {
        const ProgramRun run = runProgram(exploreArguments({}));
        QVERIFY2(run.exitCode == 0, run.text());
        const QRegularExpression expected(QStringLiteral(
            "^BEXP202 \\d\\d:\\d\\d:\\d\\d GMT  Current recommended micro_batch_size: \\d+, estimated "
            "performance: \\d+\\.\\d\\dx base, confidence score: [1-9]\\d? \\(out of 100\\)$"));
        const QStringList lines = run.outLines().filter(QStringLiteral("BEXP202"));
        QVERIFY2(lines.size() > 1, run.text());
        for (const QString& line : lines)
            QVERIFY2(expected.match(line).hasMatch(), qPrintable(line));
        QVERIFY2(lines.front().contains(QStringLiteral("1.00x base")), qPrintable(lines.front()));
    }

    void saysTheLastLinesOnlyWhenQuiet()
    {
        const ProgramRun run = runProgram(exploreArguments({}, {QStringLiteral("--quiet")}));
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.outLines().front().startsWith(QLatin1String("recommended")), run.text());
        QVERIFY2(!run.out.contains(QStringLiteral("BEXP202")), run.text());
        QVERIFY2(run.err.isEmpty(), run.text());
    }

    void runsInTheTerminalWithoutADisplay()
    {
        QStringList arguments = exploreArguments({});
        arguments.front() = QStringLiteral("--start");
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(QStringLiteral("BEXP202")), run.text());
    }

    void writesOneLineOfDifference()
    {
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(exploreArguments(
            {}, {QStringLiteral("--setting"), QStringLiteral("32"), QStringLiteral("--output"), target}));
        QVERIFY2(run.exitCode == 0, run.text());
        QByteArray expected = bytesOf(examplePath(QStringLiteral("gpt2-tiny.yaml")));
        const QByteArray key("micro_batch_size: explore");
        expected.replace(expected.indexOf(key), key.size(), "micro_batch_size: 32");
        QCOMPARE(bytesOf(target), expected);
    }

    void writesNothingWithoutAGoodEnd_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("nothing fits") << QStringLiteral("base=3000000000") << 2;
        QTest::newRow("no trials") << QStringLiteral("start=exit") << 3;
        // The example's batch_size is 256, and this worker is the faster the larger the size.
        QTest::newRow("size above the batch") << QStringLiteral("alpha=1 beta=0.0001 slope=1000") << 1;
    }
    void writesNothingWithoutAGoodEnd()
    {
        QFETCH(QString, behaviour);
        QFETCH(int, exitCode);
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(exploreArguments(behaviour, {QStringLiteral("--output"), target}));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2(!QFileInfo::exists(target), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("batchpeak: ")), run.text());
    }
};

BATCHPEAK_TEST(ExploreOutcomesTest)
#include "tst_explore_outcomes.moc"

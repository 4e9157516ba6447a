// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <unistd.h>

namespace {

/// Runs the program with stdout in a file, or with stdout closed if \p output is empty.
ProgramRun runInto(const QString& output, const QStringList& arguments)
{
    QProcess process;
    process.setProcessEnvironment(environmentWithoutDisplay());
    if (output.isEmpty())
        process.setChildProcessModifier([] { close(STDOUT_FILENO); });
    else
        process.setStandardOutputFile(output);
    process.start(QStringLiteral(BATCHPEAK_PROGRAM), arguments);
    process.closeWriteChannel();
    process.waitForFinished();
    ProgramRun run;
    if (process.exitStatus() == QProcess::NormalExit)
        run.exitCode = process.exitCode();
    run.err = QString::fromUtf8(process.readAllStandardError());
    return run;
}

} // namespace

/// Tests a stdout that accepts nothing.
class FullOutputTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
        // The commands of the tests need a history.
        const ProgramRun run = runProgram(exploreArguments("", words("--max-trials 2 --min-confidence 0")));
        QVERIFY2(run.succeeded(), run.text());
    }

    void reportsThatAnswersAreMissing_data()
    {
        const auto add = rows<QStringList>();
        const QString config = examplePath("gpt2-tiny.yaml");
        const auto of = [&](const char* before, const char* after = "") {
            return words(before) + QStringList(config) + words(after);
        };
        for (const char* line :
             {"devices", "devices --json", "formats", "formats --json", "history", "history --json",
              "history show 1", "completion bash", "--help", "--version", "explore --help"})
            add(line, words(line));
        add("inspect", of("inspect"));
        add("inspect --json", of("inspect", "--json"));
        add("inspect --as-yaml", of("inspect", "--as-yaml"));
        add("export", of("export", "--size 4"));
        add("export --json", of("export", "--size 4 --json"));
        add("export --output -", of("export", "--size 4 --output -"));
        add("export --diff", of("export", "--size 4 --diff"));
        add("explore --dry-run", of("explore", "--dry-run --device cpu"));
        add("explore", exploreArguments("", words("--max-trials 2 --min-confidence 0")));
        add("train", trainArguments("", words("--steps 2")));
    }
    void reportsThatAnswersAreMissing()
    {
        const QString full = QStringLiteral("/dev/full");
        if (!QFileInfo::exists(full))
            QSKIP("This system has no file that takes nothing.");
        const ProgramRun run = runInto(full, row<QStringList>());
        QVERIFY2(run.exitCode == 4 && run.remarks("batchpeak: not all could be written to stdout: No space"),
                 run.text());
        QCOMPARE(run.err.count(QStringLiteral("batchpeak: ")), 1);
    }

    void keepsAMoreSpecificExitCode()
    {
        const QString full = QStringLiteral("/dev/full");
        if (!QFileInfo::exists(full))
            QSKIP("This system has no file that takes nothing.");
        const ProgramRun run = runInto(full, exploreArguments("slope=1950000000"));
        QVERIFY2(run.exitCode == 2 && run.remarks("not all could be written"), run.text());
    }

    // A limit on file sizes acts like a full disk, and its signal ends no process.
    void continuesUnderALimitOnFileSizes()
    {
        const QTemporaryDir home;
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), home.path());
        const QString events = home.filePath(QStringLiteral("events.jsonl"));
        const ProgramRun run = runWithSmallFiles(
            exploreArguments("", words("--min-confidence 0 --events") + QStringList(events)), environment);
        QVERIFY2(run.exitCode == 4, run.text());
        QVERIFY2(run.answers("recommended") && run.remarks("events could not all be written: File too large"),
                 run.text());
        QCOMPARE(run.err.count(QLatin1String("warning: The history ")), 1);
        const ProgramRun history = runWithSmallFiles(words("history"), environment);
        QVERIFY2(history.exitCode < 128, history.text());
    }

    void restoresSigxfszForWorkers()
    {
        const QString status = m_folder.filePath(QStringLiteral("status"));
        const QString worker = QStringLiteral("sh -c \"cp /proc/self/status %1; exec %2\"")
                                   .arg(status, QStringLiteral(BATCHPEAK_FAKE_WORKER));
        const ProgramRun run =
            runProgram(words("explore --device cpu --max-trials 2 --min-confidence 0") +
                       QStringList{examplePath("gpt2-tiny.yaml"), QStringLiteral("--worker"), worker});
        QVERIFY2(run.succeeded(), run.text());
        const QRegularExpression ignored(QStringLiteral("SigIgn:\\s*([0-9a-f]+)"));
        const auto match = ignored.match(QString::fromUtf8(bytesOf(status)));
        QVERIFY(match.hasMatch());
        QVERIFY((match.captured(1).toULongLong(nullptr, 16) & (1ULL << (SIGXFSZ - 1))) == 0);
    }

    void writesAnswersIntoNoOtherFile()
    {
        const QString events = m_folder.filePath(QStringLiteral("events.jsonl"));
        const ProgramRun run =
            runInto({}, exploreArguments("", words("--max-trials 2 --min-confidence 0 --events") +
                                                 QStringList(events)));
        QVERIFY2(run.exitCode == 4 && run.remarks("not all could be written"), run.text());
        QVERIFY2(!eventsIn(bytesOf(events)).empty(), bytesOf(events).constData());
    }

private:
    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(FullOutputTest)
#include "tst_full_output.moc"

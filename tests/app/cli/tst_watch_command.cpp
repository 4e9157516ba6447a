// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>

namespace {

struct Refused
{
    QStringList words;
    const char* part;
};

/// Removes the times of recommendations, which may be in the next second.
QStringList withoutTimes(QStringList lines)
{
    static const QRegularExpression time(QStringLiteral("\\d\\d:\\d\\d:\\d\\d GMT"));
    return lines.replaceInStrings(time, QStringLiteral("time"));
}

} // namespace

/// Tests `batchpeak watch` on the events of explorations with the fake worker.
class WatchCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void printsWhatExplorePrints_data()
    {
        const auto add = rows<Text>();
        add("to the end", "");
        add("a lost worker", "once trial=exit42#2");
        add("nothing fits", "trial=oom");
        add("no worker", "start=exit");
    }
    void printsWhatExplorePrints()
    {
        const Text& worker = row<Text>();
        const QByteArray behavior =
            QString(worker)
                .replace(QLatin1String("once"),
                         QLatin1String("once=") + m_folder->filePath(QStringLiteral("once")))
                .toUtf8();
        const ProgramRun explored =
            runProgram(exploreArguments(behavior.constData(), {QStringLiteral("--events"), events()}));
        const ProgramRun watched = runProgram({QStringLiteral("watch"), events()});
        QCOMPARE(withoutTimes(watched.outLines()), withoutTimes(explored.outLines()));
        QCOMPARE(watched.err, explored.err);
        QCOMPARE(watched.exitCode, explored.exitCode);
    }

    void printsBothPhases()
    {
        const ProgramRun explored =
            runProgram(exploreArguments("", words("--phase both --events") + QStringList{events()}));
        const ProgramRun watched = runProgram({QStringLiteral("watch"), events()});
        QVERIFY2(explored.exitCode == 0, explored.text().constData());
        // explore separates the phases by an empty line, and names both at the end.
        QCOMPARE(watched.exitCode, 0);
        QCOMPARE(watched.out.count(QLatin1String("\nrecommended ")), 2);
    }

    void printsLastLinesAlone()
    {
        QVERIFY(runProgram(exploreArguments("", {QStringLiteral("--events"), events()})).succeeded());
        const ProgramRun watched = runProgram({QStringLiteral("watch"), QStringLiteral("--quiet"), events()});
        QVERIFY(watched.succeeded({"micro_batch_size"}));
        QVERIFY(watched.outLines().front().startsWith(QLatin1String("recommended ")));
    }

    void leavesTheExplorationAlone()
    {
        RunningProgram exploration(
            exploreArguments("trial=hang@2 ignore-cancel", {QStringLiteral("--events"), events()}));
        QVERIFY(exploration.waitForAnswer("BEXP202"));
        RunningProgram watching({QStringLiteral("watch"), events()});
        QVERIFY(watching.waitForAnswer("BEXP202"));
        watching.send(SIGINT);
        QVERIFY(watching.waitForEnd());
        QCOMPARE(watching.process().exitCode(), 130);
        QVERIFY(exploration.process().state() == QProcess::Running);
        RunningProgram again({QStringLiteral("watch"), events()});
        QVERIFY(again.waitForAnswer("BEXP202"));
        exploration.send(SIGINT);
        QVERIFY(again.waitForEnd());
        QCOMPARE(again.process().exitCode(), 130);
        QVERIFY(again.out().contains("recommended"));
    }

    void refuses_data()
    {
        const auto add = rows<Refused>();
        add("nothing", {.words = {}, .part = "number of a job"});
        add("no ssh", {.words = words("17 --on slurm"), .part = "--on ssh:HOST"});
        add("a folder", {.words = {QStringLiteral("/")}, .part = "is no file"});
        add("in the window", {.words = words("--watch run.jsonl"), .part = "batchpeak watch run.jsonl"});
    }
    void refuses()
    {
        const auto& [words, part] = row<Refused>();
        const QStringList command =
            words.value(0) == QLatin1String("--watch") ? words : QStringList(QStringLiteral("watch")) + words;
        const ProgramRun run = runProgram(command);
        QVERIFY2(run.refused({part}), run.text().constData());
    }

private:
    QString events() const { return m_folder->filePath(QStringLiteral("run.jsonl")); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(WatchCommandTest)
#include "tst_watch_command.moc"

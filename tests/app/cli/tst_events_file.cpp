// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchpeak::test;

namespace {

struct ExistingFile
{
    /// Content of the file of --events before the run.
    const char* bytes;
    const char* options = "";
    bool overwrites = true;
};

struct Needed
{
    /// Words of the command line; "./" stands for the folder of the test.
    const char* command;
    const char* events;
};

constexpr int longestWait = 120000;

// The first line of a file is read up to 1 MiB, so that a large file of something else takes no memory.
const QByteArray longEvent =
    "{\"event\":\"started\",\"schema\":1,\"time\":\"2026-11-25T10:00:00.123Z\",\"file\":\"" +
    QByteArray(1 << 20, 'x') + "\"}\n";
const QByteArray own("batchpeak: 1\n"
                     "batch_size: 8\n"
                     "model:\n"
                     "  family: gpt2\n"
                     "  vocabulary_size: 256\n"
                     "  hidden_size: 8\n"
                     "  layers: 1\n"
                     "  heads: 2\n"
                     "  key_value_heads: 2\n"
                     "  feed_forward_size: 16\n"
                     "  max_positions: 64\n");
const QByteArray script("batchpeak: 1\n"
                        "batch_size: 8\n"
                        "model:\n"
                        "  family: torchscript\n"
                        "  file: module.pt\n"
                        "  inputs:\n"
                        "    - {shape: [8]}\n"
                        "  output: loss\n");

} // namespace

/// Tests which files --events may overwrite, and what is printed if events cannot be written.
class EventsFileTest : public QObject
{
    Q_OBJECT

private slots:
    void overwritesOnlyEvents_data()
    {
        rows<ExistingFile>(
            {{"an empty file", {.bytes = ""}},
             {"earlier events",
              {.bytes = "{\"event\":\"started\",\"schema\":1,\"time\":\"2026-11-25T10:00:00.123Z\"}\n{}\n"}},
             {"another program's events",
              {.bytes = "{\"event\":\"click\",\"schema\":1,\"time\":\"2026-11-25T10:00:00.123Z\"}\n",
               .overwrites = false}},
             {"another program's start",
              {.bytes = "{\"event\":\"started\",\"time\":\"2026-11-25T10:00:00.123Z\"}\n",
               .overwrites = false}},
             {"a word alone", {.bytes = "{\"event\":\"started\",\"schema\":1}\n", .overwrites = false}},
             {"a config", {.bytes = "batch_size: 4\n", .overwrites = false}},
             {"other JSON", {.bytes = "{\"batch_size\": 4}\n", .overwrites = false}},
             {"a list", {.bytes = "[1, 2]\n", .overwrites = false}},
             {"a line that is too long", {.bytes = longEvent.constData(), .overwrites = false}},
             {"by force", {.bytes = "batch_size: 4\n", .options = "--force"}}});
    }
    void overwritesOnlyEvents()
    {
        const ExistingFile existing = row<ExistingFile>();
        const QTemporaryDir folder;
        const QString events = folder.filePath(QStringLiteral("events"));
        QVERIFY(writeBytes(events, existing.bytes));
        const ProgramRun run = runProgram(exploreArguments(
            "", words("--quiet --max-trials 2 --events") + QStringList{events} + words(existing.options)));
        if (existing.overwrites) {
            QVERIFY2(run.exitCode == 0, run.text());
            QVERIFY(bytesOf(events).contains("\"finished\""));
            return;
        }
        QVERIFY2(run.refused({"already exists and contains no events", "--force"}), run.text());
        QCOMPARE(bytesOf(events), QByteArray(existing.bytes));
    }

    // The config is protected under all of its names, even with --force.
    void neverOverwritesTheConfig_data() { rows<const char*>({{"plainly", ""}, {"by force", "--force"}}); }
    void neverOverwritesTheConfig()
    {
        const QTemporaryDir folder;
        const QString config = folder.filePath(QStringLiteral("config.yaml"));
        const QString link = folder.filePath(QStringLiteral("link"));
        const QByteArray text = bytesOf(examplePath("gpt2-tiny.yaml"));
        QVERIFY(writeBytes(config, text));
        QVERIFY(QFile::link(config, link));
        for (const char* command : {"explore", "train"}) {
            for (const QString& events : {config, link}) {
                const ProgramRun run = runProgram(
                    QStringList{QString::fromLatin1(command), config, QStringLiteral("--events"), events} +
                    words(row<const char*>()));
                QVERIFY2(run.refused({"would overwrite a file that this command needs"}), run.text());
                QCOMPARE(bytesOf(config), text);
            }
        }
    }

    // All files that a command reads or writes otherwise are protected, even with --force.
    void overwritesNothingThatTheCommandNeeds_data()
    {
        rows<Needed>(
            {{"a hard link to the config", {.command = "explore ./config.yaml", .events = "hard.yaml"}},
             {"lengths of samples",
              {.command = "explore ./config.yaml --sample-lengths ./lengths", .events = "lengths"}},
             {"the output", {.command = "explore ./config.yaml --output ./new", .events = "new"}},
             {"a program that runs trials",
              {.command = "explore ./config.yaml --worker ./lengths", .events = "lengths"}},
             {"what the history keeps beside it",
              {.command = "explore ./config.yaml", .events = "batchpeak/explorations.sqlite-wal"}},
             {"a program that trains",
              {.command = "train ./config.yaml --worker ./lengths", .events = "lengths"}},
             {"a text", {.command = "train ./config.yaml --data ./notes", .events = "notes"}},
             {"an array", {.command = "train ./config.yaml --data ./data", .events = "data/1.npy"}},
             {"a growth function that is named",
              {.command = "train ./config.yaml --grow ./grow.py", .events = "grow.py"}},
             {"a growth function of the config", {.command = "train ./growing.yaml", .events = "grow.py"}},
             {"a module", {.command = "explore ./script.yaml", .events = "module.pt"}},
             {"a checkpoint",
              {.command = "train ./config.yaml --resume ./saved",
               .events = "saved/step-000001/state.json"}}});
    }
    void overwritesNothingThatTheCommandNeeds()
    {
        const Needed needed = row<Needed>();
        const QTemporaryDir folder;
        const auto path = [&](const QString& name) { return folder.filePath(name); };
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("data")) &&
                QDir(folder.path()).mkpath(QStringLiteral("batchpeak")) &&
                QDir(folder.path()).mkpath(QStringLiteral("saved/step-000001")));
        QVERIFY(writeBytes(path(QStringLiteral("config.yaml")), bytesOf(examplePath("gpt2-tiny.yaml"))));
        QVERIFY(writeBytes(path(QStringLiteral("growing.yaml")), own + "batch_increase_function: grow.py\n"));
        QVERIFY(writeBytes(path(QStringLiteral("script.yaml")), script));
        for (const char* name : {"lengths", "notes", "data/1.npy", "grow.py", "module.pt",
                                 "saved/step-000001/state.json", "batchpeak/explorations.sqlite-wal"})
            QVERIFY(writeBytes(path(QString::fromLatin1(name)), "7\n"));
        QCOMPARE(::link(QFile::encodeName(path(QStringLiteral("config.yaml"))).constData(),
                        QFile::encodeName(path(QStringLiteral("hard.yaml"))).constData()),
                 0);
        QStringList arguments = words(needed.command);
        for (QString& word : arguments)
            word.replace(QLatin1String("./"), folder.path() + QLatin1Char('/'));
        const QString events = path(QString::fromLatin1(needed.events));
        const QByteArray before = bytesOf(events);
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), folder.path());
        const ProgramRun run =
            runProgram(arguments + words("--trust --force --events") + QStringList{events}, environment);
        QVERIFY2(run.refused({"would overwrite a file that this command needs"}), run.text());
        QCOMPARE(bytesOf(events), before);
    }

    // A run that never begins must not delete earlier events.
    void keepsEarlierEventsIfTheRunIsRefused_data()
    {
        rows<const char*>({{"explore", "explore %1 --sequence-length 1000000"},
                           {"train", "train %1 --resume /no/such"},
                           {"confirm", "confirm %1"}});
    }
    void keepsEarlierEventsIfTheRunIsRefused()
    {
        const QTemporaryDir folder;
        const QString events = folder.filePath(QStringLiteral("events"));
        const QByteArray before(
            "{\"event\":\"started\",\"schema\":1,\"time\":\"2026-11-25T10:00:00.123Z\"}\n");
        QVERIFY(writeBytes(events, before));
        QStringList arguments = words(row<const char*>());
        arguments.replace(1, examplePath("gpt2-tiny.yaml"));
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), folder.path());
        const ProgramRun run =
            runProgram(arguments + QStringList{QStringLiteral("--events"), events}, environment);
        QVERIFY2(run.exitCode == 1, run.text());
        QCOMPARE(bytesOf(events), before);
    }

    // The first program writes complete events, even if the file is truncated meanwhile.
    void refusesAFileThatAnotherProgramWrites()
    {
        const QTemporaryDir folder;
        const QString events = folder.filePath(QStringLiteral("events"));
        const QStringList arguments =
            words("--quiet --max-trials 3 --min-confidence 0 --events") + QStringList{events};
        const QString once = folder.filePath(QStringLiteral("once"));
        const QByteArray behavior = "trial=hang@4 once=" + once.toUtf8();
        RunningProgram first(exploreArguments(behavior.constData(), arguments));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(once), longestWait);
        const QByteArray before = bytesOf(events);
        QVERIFY(!eventsIn(before).empty());
        const ProgramRun second = runProgram(exploreArguments("", arguments));
        QVERIFY2(second.exitCode == 1 && second.remarks("another program writes its events into"),
                 second.text());
        QVERIFY(bytesOf(events).startsWith(before));
        QVERIFY(QFile::resize(events, 0));
        first.send(SIGINT);
        QVERIFY(first.waitForEnd());
        QVERIFY2(!eventsIn(bytesOf(events)).empty(), bytesOf(events).constData());
        const ProgramRun third = runProgram(exploreArguments("", arguments + words("--force")));
        QVERIFY2(third.succeeded(), third.text());
    }

    void refusesAPipeWithoutAReader()
    {
        const QTemporaryDir folder;
        const QString pipe = folder.filePath(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const ProgramRun run =
            runProgram(exploreArguments("", QStringList{QStringLiteral("--events"), pipe}));
        QVERIFY2(run.refused({"no program reads from it"}), run.text());
    }

    // If the file of stdout were opened a second time, events would overwrite answers.
    void recognizesStdoutByItsNames_data()
    {
        rows<const char*>({{"a device", "/dev/stdout"}, {"its file", "out"}});
    }
    void recognizesStdoutByItsNames()
    {
        const QTemporaryDir folder;
        const QString out = folder.filePath(QStringLiteral("out"));
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.setWorkingDirectory(folder.path());
        process.setStandardOutputFile(out);
        process.start(QStringLiteral(BATCHPEAK_PROGRAM),
                      exploreArguments("", words("--max-trials 2 --min-confidence 0 --events") +
                                               words(row<const char*>())));
        QVERIFY(process.waitForFinished(longestWait));
        QCOMPARE(process.exitCode(), 0);
        QVERIFY(process.readAllStandardError().contains("recommended"));
        const std::vector<QJsonObject> events = eventsIn(bytesOf(out));
        QVERIFY2(!events.empty(), bytesOf(out).constData());
        QCOMPARE(nameOf(events.back()), QStringLiteral("finished"));
    }

    void continuesWithoutEvents()
    {
        if (!QFileInfo::exists(QStringLiteral("/dev/full")))
            QSKIP("This system has no /dev/full.");
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(
            exploreArguments("", words("--max-trials 3 --min-confidence 0 --events /dev/full --output") +
                                     QStringList{target}));
        QCOMPARE(run.exitCode, 4);
        QVERIFY2(run.answers("Wrote"), run.text());
        QVERIFY(bytesOf(target).contains("micro_batch_size: "));
        QCOMPARE(run.err.count(QStringLiteral("Events are missing from here on")), 1);
        QCOMPARE(run.err.count(QStringLiteral("the events could not all be written")), 1);
    }
};

BATCHPEAK_TEST(EventsFileTest)
#include "tst_events_file.moc"

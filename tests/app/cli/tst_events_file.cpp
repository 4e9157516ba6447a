// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak::test;

namespace {

struct There
{
    /// What stands in the file of --events before.
    const char* bytes;
    const char* options = "";
    bool overwrites = true;
};

} // namespace

/// What --events may overwrite, and what is said where events cannot be written.
class EventsFileTest : public QObject
{
    Q_OBJECT

private slots:
    void overwritesEventsAlone_data()
    {
        rows<There>(
            {{"an empty file", {.bytes = ""}},
             {"earlier events", {.bytes = "{\"event\":\"started\",\"schema\":1}\n{\"event\":\"device\"}\n"}},
             {"a config", {.bytes = "batch_size: 4\n", .overwrites = false}},
             {"other JSON", {.bytes = "{\"batch_size\": 4}\n", .overwrites = false}},
             {"a list", {.bytes = "[1, 2]\n", .overwrites = false}},
             {"a long line", {.bytes = "x", .overwrites = false}},
             {"by force", {.bytes = "batch_size: 4\n", .options = "--force"}}});
    }
    void overwritesEventsAlone()
    {
        const There there = row<There>();
        const QTemporaryDir folder;
        const QString events = folder.filePath(QStringLiteral("events"));
        QVERIFY(writeBytes(events, there.bytes));
        const ProgramRun run = runProgram(exploreArguments(
            "", words("--quiet --max-trials 2 --events") + QStringList{events} + words(there.options)));
        if (there.overwrites) {
            QVERIFY2(run.exitCode == 0, run.text());
            QVERIFY(bytesOf(events).contains("\"finished\""));
            return;
        }
        QVERIFY2(run.refused({"is there already and holds no events", "--force"}), run.text());
        QCOMPARE(bytesOf(events), QByteArray(there.bytes));
    }

    // By whatever name, and by force neither.
    void overwritesNoFileOfTheCommand_data()
    {
        rows<const char*>({{"plainly", ""}, {"by force", "--force"}});
    }
    void overwritesNoFileOfTheCommand()
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

    void goesOnWithoutEvents()
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

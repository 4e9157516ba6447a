// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

/// The program as it is met on a command line, without a display: what it offers, and what it refuses.
class CommandLineTest : public QObject
{
    Q_OBJECT

private slots:
    void answersWithoutADisplay_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        QTest::newRow("version") << QStringList{QStringLiteral("--version")}
                                 << QStringLiteral("batchpeak " BATCHPEAK_VERSION);
        QTest::newRow("help") << QStringList{QStringLiteral("--help")} << QStringLiteral("inspect");
        QTest::newRow("help of a command") << QStringList{QStringLiteral("explore"), QStringLiteral("--help")}
                                           << QStringLiteral("--memory-limit");
        QTest::newRow("devices") << QStringList{QStringLiteral("devices")} << QStringLiteral("cpu");
    }
    void answersWithoutADisplay()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(said), run.text());
        QVERIFY2(run.err.isEmpty(), run.text());
    }

    void refusesWhatCannotBeFollowed_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        const auto explore = [](const QStringList& options) {
            return QStringList{QStringLiteral("explore"), examplePath(QStringLiteral("gpt2-tiny.yaml"))} +
                   options;
        };
        const auto row = [](const char* name, const QStringList& arguments, const char* said) {
            QTest::newRow(name) << arguments << QString::fromUtf8(said);
        };
        row("unknown option", explore({QStringLiteral("--max-trails"), QStringLiteral("3")}),
            "there is no option --max-trails. Did you mean --max-trials?");
        row("unknown command", {QStringLiteral("exlpore"), QStringLiteral("a.yaml")},
            "Did you mean explore?");
        row("no file", {QStringLiteral("explore")}, "name the config to explore");
        row("no file to inspect", {QStringLiteral("inspect")}, "name the config to inspect");
        row("two files", explore({QStringLiteral("b.yaml")}), "one argument too many, 'b.yaml'");
        row("option before its command",
            {QStringLiteral("--max-trials"), QStringLiteral("3"), QStringLiteral("devices")},
            "the command comes first");
        row("option without its value", explore({QStringLiteral("--min")}), "--min needs a value");
        row("option given twice",
            explore(
                {QStringLiteral("--min"), QStringLiteral("2"), QStringLiteral("--min"), QStringLiteral("3")}),
            "--min needs a value, and only one");
        row("memory without a unit", explore({QStringLiteral("--memory-limit"), QStringLiteral("6")}),
            "--memory-limit: '6' is no amount of memory");
        row("time without a unit", explore({QStringLiteral("--time-budget"), QStringLiteral("10")}),
            "--time-budget: '10' is no length of time");
        row("percentage beyond", explore({QStringLiteral("--headroom"), QStringLiteral("95")}),
            "--headroom: '95' is no percentage");
        row("negative size", explore({QStringLiteral("--min"), QStringLiteral("-3")}),
            "--min: '-3' is no whole number");
        row("bounds crossed",
            explore(
                {QStringLiteral("--min"), QStringLiteral("8"), QStringLiteral("--max"), QStringLiteral("4")}),
            "--min 8 is above --max 4");
        row("unknown strategy", explore({QStringLiteral("--strategy"), QStringLiteral("luck")}),
            "there is: ");
        row("unknown phase", explore({QStringLiteral("--phase"), QStringLiteral("test")}),
            "not one of train, eval");
        row("bad setting", explore({QStringLiteral("--setting"), QStringLiteral("fast")}), "--setting: ");
        row("no such device", explore({QStringLiteral("--device"), QStringLiteral("tpu")}),
            "--device: 'tpu' is no device");
        row("two places for the result",
            explore({QStringLiteral("--in-place"), QStringLiteral("--output"), QStringLiteral("b.yaml")}),
            "--output and --in-place exclude each other");
        row("output in no folder",
            explore({QStringLiteral("--output"), QStringLiteral("/no/such/folder/b.yaml")}),
            "/no/such/folder/b.yaml cannot be written");
        row("events in no folder",
            explore({QStringLiteral("--events"), QStringLiteral("/no/such/folder/e.jsonl")}),
            "/no/such/folder/e.jsonl cannot be written");
        row("missing config", {QStringLiteral("explore"), QStringLiteral("/no/such.yaml")}, "/no/such.yaml");
        row("a folder", {QStringLiteral("inspect"), QStringLiteral("/")}, "/: ");
        row("export without a size",
            {QStringLiteral("export"), examplePath(QStringLiteral("gpt2-tiny.yaml"))}, "--size N");
        row("a window without a display", {examplePath(QStringLiteral("gpt2-tiny.yaml"))},
            "there is no display");
        row("nothing at all", {}, "'batchpeak explore FILE'");
    }
    void refusesWhatCannotBeFollowed()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.err.startsWith(QLatin1String("batchpeak: ")), run.text());
        QVERIFY2(run.err.contains(said), run.text());
    }

    void inspectsWhatWasRead_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("said");
        const QString gpt = examplePath(QStringLiteral("gpt2-tiny.yaml"));
        QTest::newRow("format") << gpt << QStringLiteral("Cerebras params");
        QTest::newRow("parameters") << gpt << QStringLiteral("1,071,872");
        QTest::newRow("setting") << gpt << QStringLiteral("micro_batch_size: explore");
        QTest::newRow("another format")
            << examplePath(QStringLiteral("llama-tiny.yaml")) << QStringLiteral("Cerebras Trainer");
        const QString qwen = examplePath(QStringLiteral("qwen3-tiny.yaml"));
        QTest::newRow("size of heads") << qwen << QStringLiteral("4 heads of size 48 in 2 groups");
        QTest::newRow("normalised heads")
            << qwen << QStringLiteral("swiglu, normalised queries and keys, tied embeddings");
    }
    void inspectsWhatWasRead()
    {
        QFETCH(QString, file);
        QFETCH(QString, said);
        const ProgramRun run = runProgram({QStringLiteral("inspect"), file});
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(said), run.text());
    }

    void exportsOneLineOfDifference()
    {
        const QString config = examplePath(QStringLiteral("gpt2-tiny.yaml"));
        QByteArray expected = bytesOf(config);
        QVERIFY(!expected.isEmpty());
        const QByteArray key("micro_batch_size: explore");
        expected.replace(expected.indexOf(key), key.size(), "micro_batch_size: 32");

        const ProgramRun toStdout =
            runProgram({QStringLiteral("export"), config, QStringLiteral("--size"), QStringLiteral("32")});
        QVERIFY2(toStdout.exitCode == 0, toStdout.text());
        QCOMPARE(toStdout.out.toUtf8(), expected);

        const QTemporaryDir folder;
        const QString copy = folder.filePath(QStringLiteral("copy.yaml"));
        QVERIFY(QFile::copy(config, copy));
        QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
        const ProgramRun inPlace = runProgram({QStringLiteral("export"), copy, QStringLiteral("--size"),
                                               QStringLiteral("32"), QStringLiteral("--in-place")});
        QVERIFY2(inPlace.exitCode == 0, inPlace.text());
        QCOMPARE(bytesOf(copy), expected);
    }

    void refusesToExportASizeAboveTheBatch()
    {
        const ProgramRun run =
            runProgram({QStringLiteral("export"), examplePath(QStringLiteral("gpt2-tiny.yaml")),
                        QStringLiteral("--size"), QStringLiteral("257")});
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("256")), run.text());
    }
};

BATCHPEAK_TEST(CommandLineTest)
#include "tst_command_line.moc"

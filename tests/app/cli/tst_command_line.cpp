// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_line.h"
#include "cli/options.h"
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using batchpeak::cli::closestWord;

namespace {

/// Words on the command line, and the expected message.
struct Line
{
    QStringList arguments;
    const char* said;
};

QStringList exploring(const char* options)
{
    return QStringList{QStringLiteral("explore"), examplePath("gpt2-tiny.yaml")} + words(options);
}

/// Returns the request for a window that arguments make; nothing if they open no window.
std::optional<batchpeak::cli::WindowRequest> windowRequestFor(std::vector<std::string> words)
{
    words.insert(words.begin(), "batchpeak");
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    batchpeak::cli::CommandLine line;
    const auto exitCode = line.parse(static_cast<int>(arguments.size()), arguments.data());
    return exitCode ? std::nullopt : line.windowRequest();
}

} // namespace

/// Tests the program on a command line without a display: what it offers, and what it refuses.
class CommandLineTest : public QObject
{
    Q_OBJECT

private slots:
    void answersWithoutADisplay_data()
    {
        rows<Line>({{"version", {words("--version"), "batchpeak " BATCHPEAK_VERSION}},
                    {"help", {words("--help"), "inspect"}},
                    {"help of a command", {words("explore --help"), "--memory-limit"}},
                    {"devices", {words("devices"), "cpu"}}});
    }
    void answersWithoutADisplay()
    {
        const auto& [arguments, said] = row<Line>();
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.succeeded({said}), run.text());
        QVERIFY2(run.err.isEmpty(), run.text());
    }

    void listsTheOptionsGivenToTheWindow()
    {
        const auto request = windowRequestFor(
            {"a.yaml", "--phase", "train", "--device", "cpu", "--device", "cuda:0", "--fresh"});
        QVERIFY(request);
        const QStringList& names = request->givenNames;
        // --phase train is the default, but it was given.
        QCOMPARE(QSet<QString>(names.begin(), names.end()),
                 (QSet<QString>{QStringLiteral("--phase"), QStringLiteral("--device"),
                                QStringLiteral("--fresh")}));
    }

    // A file may have any name.
    void treatsWordsAfterTwoDashesAsFiles_data()
    {
        rows<std::vector<std::string>, const char*>(
            {{"a dash", {{"--", "-dash.yaml"}, "./-dash.yaml"}},
             {"an option", {{"--fresh", "--", "--phase"}, "./--phase"}},
             {"behind a value", {{"--phase", "eval", "--", "-dash.yaml"}, "./-dash.yaml"}},
             {"a command", {{"--", "inspect"}, "./inspect"}},
             {"two dashes as a value", {{"--model", "--", "inspect.yaml"}, "inspect.yaml"}},
             {"a plain name", {{"--", "a.yaml"}, "a.yaml"}},
             {"a path", {{"--", "/tmp/-dash.yaml"}, "/tmp/-dash.yaml"}},
             {"nothing", {{"a.yaml", "--"}, "a.yaml"}}});
    }
    void treatsWordsAfterTwoDashesAsFiles()
    {
        const auto& [given, file] = row<std::vector<std::string>, const char*>();
        const auto request = windowRequestFor(given);
        QVERIFY(request);
        QCOMPARE(request->file, QString::fromUtf8(file));
    }

    void endsAnOptionalValueAtTwoDashes()
    {
        batchpeak::cli::Options options({.name = "program"});
        std::string file;
        std::string number = "not asked";
        options.addArgument("FILE", "A file", file);
        options.addTextOrNone("--resume", "[ID]", "A number",
                              [&](const std::string& text) { number = text; });
        QVERIFY(options.parse({"--resume", "--", "-7"}));
        QCOMPARE(QString::fromStdString(file), QStringLiteral("./-7"));
        QCOMPARE(QString::fromStdString(number), QString());
    }

    void readsAFileThatBeginsWithADash_data()
    {
        rows<QStringList>({{"alone", {QStringLiteral("--"), QStringLiteral("-dash.yaml")}},
                           {"behind an option", words("--json -- -dash.yaml")}});
    }
    void readsAFileThatBeginsWithADash()
    {
        const QTemporaryDir folder;
        QVERIFY(writeBytes(folder.filePath(QStringLiteral("-dash.yaml")),
                           bytesOf(examplePath("gpt2-tiny.yaml"))));
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.setWorkingDirectory(folder.path());
        process.start(QStringLiteral(BATCHPEAK_PROGRAM),
                      QStringList{QStringLiteral("inspect")} + row<QStringList>());
        QVERIFY(process.waitForFinished());
        const QByteArray complaints = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, complaints.constData());
        QVERIFY(process.readAllStandardOutput().contains("-dash.yaml"));
    }

    void refusesInvalidArguments_data()
    {
        const QString example = examplePath("gpt2-tiny.yaml");
        rows<Line>({
            {"unknown option",
             {exploring("--max-trails 3"), "there is no option --max-trails. Did you mean --max-trials?"}},
            {"unknown command", {words("exlpore a.yaml"), "Did you mean explore?"}},
            {"no file", {words("explore"), "name the config to explore"}},
            {"no file to inspect", {words("inspect"), "name the config to inspect"}},
            {"option before its command", {words("--max-trials 3 devices"), "the command comes first"}},
            {"option without its value", {exploring("--min"), "--min needs a value"}},
            {"option given twice", {exploring("--min 2 --min 3"), "--min needs a value, and only one"}},
            {"memory without a unit",
             {exploring("--memory-limit 6"), "--memory-limit must be an amount of memory"}},
            {"time without a unit",
             {exploring("--time-budget 10"), "--time-budget must be a length of time"}},
            {"time beyond ten years",
             {exploring("--time-budget 99999999999h"),
              "--time-budget must be at most ten years, not '99999999999h'"}},
            {"a worker in half a pair of quotes",
             {exploring("--worker \"unbalanced"), "--worker: '\"unbalanced' has an unclosed quote"}},
            {"a launcher in half a pair of quotes",
             {exploring("--launcher ssh\""), "--on: 'ssh\"' has an unclosed quote"}},
            {"percentage beyond",
             {exploring("--headroom 95"), "--headroom must be a percentage between 0 and 90, not '95'"}},
            {"negative size",
             {exploring("--min -3"), "--min must be a whole number between 1 and 2147483648, not '-3'"}},
            {"bounds crossed", {exploring("--min 8 --max 4"), "--min 8 is above --max 4"}},
            {"surer than the end",
             {exploring("--min-confidence 96"), "--min-confidence is above --confidence"}},
            {"unknown strategy", {exploring("--strategy luck"), "choose one of: "}},
            {"unknown phase", {exploring("--phase test"), "not one of train, eval"}},
            {"bad setting", {exploring("--setting fast"), "--setting: "}},
            {"a setting beyond any batch",
             {exploring("--setting 9223372036854775807"), "--setting must be a whole number between 1 and"}},
            {"a size beyond any batch",
             {words("export a.yaml --size 2147483649"),
              "--size must be a whole number between 1 and 2147483648"}},
            {"no such device", {exploring("--device tpu"), "--device: 'tpu' is not a device"}},
            {"two places for the result",
             {exploring("--in-place --output b.yaml"), "--output and --in-place exclude each other"}},
            {"the size of a smaller network",
             {exploring("--shrink --in-place"), "--shrink measures a smaller network"}},
            {"a diff of the size of a smaller network",
             {exploring("--shrink --diff"), "--shrink measures a smaller network"}},
            {"output in no folder",
             {exploring("--output /no/such/folder/b.yaml"), "/no/such/folder/b.yaml cannot be written"}},
            {"events in no folder",
             {exploring("--events /no/such/folder/e.jsonl"), "/no/such/folder/e.jsonl cannot be written"}},
            {"missing config", {words("explore /no/such.yaml"), "/no/such.yaml"}},
            {"a folder", {words("inspect /"), "/: "}},
            {"export without a size", {{QStringLiteral("export"), example}, "--size N"}},
            {"a window without a display", {{example}, "there is no display"}},
            {"an empty value",
             {exploring("--fresh --output") + QStringList{QString()}, "--output has an empty value"}},
            {"an empty value of a command's own",
             {words("train a.yaml --checkpoint") + QStringList{QString()},
              "--checkpoint has an empty value"}},
            {"an empty value that may be left out",
             {words("explore --resume") + QStringList{QString()}, "--resume has an empty value"}},
            {"an empty value before the next word",
             {{QStringLiteral("explore"), QStringLiteral("--model="), example},
              "--model has an empty value"}},
            {"an empty value of the window",
             {words("--model") + QStringList{QString(), example}, "--model has"}},
            {"an empty name", {words("inspect") + QStringList{QString()}, "an argument is empty"}},
            {"nothing at all", {{}, "`batchpeak explore FILE`"}},
        });
    }
    void refusesInvalidArguments()
    {
        const auto& [arguments, said] = row<Line>();
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.refused({said}), run.text());
        QVERIFY2(run.err.startsWith(QLatin1String("batchpeak: ")), run.text());
    }

    void refusesAWindowWithoutAUsableDisplay_data()
    {
        rows<Text, Text>({{"of a session that has ended", {"DISPLAY", ":4242"}},
                          {"of an unknown kind", {"QT_QPA_PLATFORM", "nothing"}}});
    }
    void refusesAWindowWithoutAUsableDisplay()
    {
        const auto& [name, value] = row<Text, Text>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(name, value);
        const ProgramRun run = runProgram({examplePath("gpt2-tiny.yaml")}, environment);
        QVERIFY2(run.refused({"there is no display to open the window on"}), run.text());
    }

    // Converted to UTF-8, the name would be that of another file. QProcess cannot pass such an argument, so a
    // shell does.
    void refusesNamesThatAreNotUtf8()
    {
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.start(QStringLiteral("sh"),
                      {QStringLiteral("-c"),
                       QStringLiteral("exec \"$0\" inspect \"$(printf 'bad\\377.yaml')\""),
                       QStringLiteral(BATCHPEAK_PROGRAM)});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 1);
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(said.startsWith("batchpeak: ") && said.contains("is not in UTF-8"), said.constData());
    }

    void suggestsTheClosestWord()
    {
        const std::vector<std::string> words{"--min", "--max", "--max-trials"};
        QCOMPARE(closestWord("--max-trails", words), std::optional<std::string>("--max-trials"));
        QCOMPARE(closestWord("--something-else", words), std::nullopt);
    }

    void inspectsAConfig_data()
    {
        rows<const char*, const char*>(
            {{"format", {"gpt2-tiny.yaml", "Cerebras params"}},
             {"parameters", {"gpt2-tiny.yaml", "1,071,872"}},
             {"setting", {"gpt2-tiny.yaml", "micro_batch_size: explore"}},
             {"another format", {"llama-tiny.yaml", "Cerebras Trainer"}},
             {"size of heads", {"qwen3-tiny.yaml", "4 heads of size 48 in 2 groups"}},
             {"normalized heads",
              {"qwen3-tiny.yaml", "swiglu, normalized queries and keys, tied embeddings"}}});
    }
    void inspectsAConfig()
    {
        const auto& [file, said] = row<const char*, const char*>();
        const ProgramRun run = runProgram({QStringLiteral("inspect"), examplePath(file)});
        QVERIFY2(run.succeeded({said}), run.text());
    }

    void changesOneLineOnExport()
    {
        const QString config = examplePath("gpt2-tiny.yaml");
        const ProgramRun toStdout = exportOf(config, "--size 32");
        QVERIFY2(toStdout.succeeded(), toStdout.text());
        QCOMPARE(toStdout.out.toUtf8(), exampleWithSize("32"));

        const QTemporaryDir folder;
        const QString copy = folder.filePath(QStringLiteral("copy.yaml"));
        QVERIFY(writeBytes(copy, bytesOf(config)));
        const ProgramRun inPlace = exportOf(copy, "--size 32 --in-place");
        QVERIFY2(inPlace.succeeded(), inPlace.text());
        QCOMPARE(bytesOf(copy), exampleWithSize("32"));
    }

    void refusesToExportASizeAboveTheBatch()
    {
        const ProgramRun run = exportOf(examplePath("gpt2-tiny.yaml"), "--size 257");
        QVERIFY2(run.refused({"256"}), run.text());
    }

private:
    static ProgramRun exportOf(const QString& config, const char* options)
    {
        return runProgram(QStringList{QStringLiteral("export"), config} + words(options));
    }
};

BATCHPEAK_TEST(CommandLineTest)
#include "tst_command_line.moc"

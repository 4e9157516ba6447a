// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

const QByteArray params("train_input:\r\n  batch_size: 8\r\n  micro_batch_size: explore # sizes\r\n");
/// A config of a trainer that supports only whole micro-batches.
const QByteArray axolotl("base_model: NousResearch/Llama-3.2-1B\n"
                         "datasets:\n  - path: mhenrichsen/alpaca_2k_test\n    type: alpaca\n"
                         "sequence_len: 2048\n"
                         "gradient_accumulation_steps: 8\nmicro_batch_size: 2\n");

const QByteArray script("batchpeak: 1\n"
                        "batch_size: 8\n"
                        "model:\n"
                        "  family: torchscript\n"
                        "  file: needed\n"
                        "  inputs:\n"
                        "    - {shape: [8]}\n"
                        "  output: loss\n");

struct Refusal
{
    const char* name = "params.yaml";
    const char* options;
    /// Command that the refusal suggests, without "batchpeak export".
    const char* command;
};

struct Needed
{
    QByteArray config = params;
    /// %1 is the config, %2 the file that is needed.
    const char* command;
    QByteArray bytes;
    bool isLinked = false;
};

struct Unsure
{
    const char* options = "";
    int exitCode = 5;
};

struct Searched
{
    const char* options;
    /// Remark before the start; empty if there is none.
    const char* remark;
    const char* sizes;
};

} // namespace

/// Tests what "batchpeak export" and "batchpeak explore" write into configs, show as a change, or leave
/// unchanged.
class ConfigOutputTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_path = path("params.yaml");
        QVERIFY(writeBytes(m_path, params));
    }

    void showsWhatWouldChange_data()
    {
        rows<const char*, const char*>({{"without a target", {"", "params.yaml"}},
                                        {"in place", {"--in-place", "params.yaml"}},
                                        {"to another file", {"--output", "o.yaml"}}});
    }
    void showsWhatWouldChange()
    {
        const auto& [option, target] = row<const char*, const char*>();
        QStringList options = words(option);
        if (options.contains(QStringLiteral("--output")))
            options << path(target);
        const ProgramRun run = exportSize(4, words("--diff") + options);
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(run.out, QStringLiteral("--- a%1\n+++ b%2\n@@ -1,3 +1,3 @@\n"
                                         " train_input:\r\n   batch_size: 8\r\n"
                                         "-  micro_batch_size: explore # sizes\r\n"
                                         "+  micro_batch_size: 4 # sizes\r\n")
                              .arg(m_path, path(target)));
        QCOMPARE(files(), QStringList{QStringLiteral("params.yaml")});
        QCOMPARE(bytesOf(m_path), params);
    }

    void reportsThatNothingWouldChange_data()
    {
        rows<const char*>({{"diff", "--diff"}, {"the usual name", "--dry-run"}});
    }
    void reportsThatNothingWouldChange()
    {
        QVERIFY(writeBytes(m_path, "train_input: {batch_size: 8, micro_batch_size: 4}\n"));
        const ProgramRun run = exportSize(4, words(row<const char*>()));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.remarks("nothing would change"), run.text());
    }

    void refusesALinkThatLeadsToItself()
    {
        QVERIFY(QFile::link(path("b.yaml"), path("a.yaml")));
        QVERIFY(QFile::link(path("a.yaml"), path("b.yaml")));
        for (const char* option : {"--output", "--force --output"}) {
            const ProgramRun run = exportSize(4, words(option) << path("a.yaml"));
            QVERIFY2(run.refused({"a.yaml", "circle"}), run.text());
            QVERIFY(QFileInfo(path("a.yaml")).isSymLink());
        }
    }

    void reportsWhichFileWasWritten_data()
    {
        rows<const char*, const char*>(
            {{"another file", {"--output", "o.yaml"}}, {"the config", {"--in-place", "params.yaml"}}});
    }
    void reportsWhichFileWasWritten()
    {
        const auto& [option, target] = row<const char*, const char*>();
        QStringList options = words(option);
        if (options.contains(QStringLiteral("--output")))
            options << path(target);
        const ProgramRun run = exportSize(4, options);
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(run.out, QStringLiteral("Wrote %1\n").arg(path(target)));
        QCOMPARE(bytesOf(path(target)), QByteArray(params).replace("explore", "4"));
    }

    void overwritesAnotherFileOnlyWithForce_data()
    {
        rows<const char*, bool>({{"unasked", {"", false}}, {"asked", {"--force", true}}});
    }
    void overwritesAnotherFileOnlyWithForce()
    {
        const auto& [option, overwrites] = row<const char*, bool>();
        const QString other = path("other.yaml");
        QVERIFY(writeBytes(other, "precious\n"));
        const ProgramRun run = exportSize(4, QStringList{QStringLiteral("--output"), other} + words(option));
        QVERIFY2(overwrites ? run.answers("Wrote") : run.refused({"already exists", "--force"}), run.text());
        QCOMPARE(bytesOf(other),
                 overwrites ? QByteArray(params).replace("explore", "4") : QByteArray("precious\n"));
    }

    void writesToStdout_data()
    {
        rows<const char*>({{"the size of an exploration",
                            "explore %1 --max-trials 2 --min-confidence 0 --output /dev/stdout"},
                           {"a size that is given", "export %1 --size 4 --output /dev/stdout"},
                           {"the size of an exploration, in short",
                            "explore %1 --max-trials 2 --min-confidence 0 --output -"},
                           {"a size that is given, in short", "export %1 --size 4 --output=-"}});
    }
    void writesToStdout()
    {
        const QByteArray example = bytesOf(examplePath("gpt2-tiny.yaml"));
        QVERIFY(writeBytes(m_path, example));
        QStringList arguments = words(row<const char*>());
        arguments.replaceInStrings(QStringLiteral("%1"), m_path);
        if (arguments.front() == QLatin1String("explore"))
            arguments += QStringList{QStringLiteral("--worker"), QStringLiteral(BATCHPEAK_FAKE_WORKER)};
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY(run.out.toUtf8() != example);
        const QRegularExpression size(QStringLiteral("micro_batch_size: \\d+"));
        QCOMPARE(QString(run.out).replace(size, QStringLiteral("micro_batch_size: explore")).toUtf8(),
                 example);
    }

    // The pipe is opened only once, for writing: a reader treats the end of the first writer as the end of
    // the output.
    void writesIntoAPipe()
    {
        const QString pipe = path("pipe");
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const int end = ::open(QFile::encodeName(pipe).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        const ProgramRun run =
            runProgram(exploreArguments("", words("--setting 32 --output") + QStringList{pipe}));
        QVERIFY2(run.succeeded({"Wrote"}), run.text());
        QByteArray bytes(4096, '\0');
        bytes.resize(::read(end, bytes.data(), static_cast<std::size_t>(bytes.size())));
        ::close(end);
        QCOMPARE(bytes, exampleWithSize("32"));
    }

    void refusesAPipeWithoutAReader()
    {
        const QString pipe = path("pipe");
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        const ProgramRun run = exportSize(4, {QStringLiteral("--output"), pipe, QStringLiteral("--force")});
        QVERIFY2(run.remarks("no program reads from it"), run.text());
    }

    // The config is protected under all of its names, even with --force.
    void overwritesTheConfigOnlyInPlace_data()
    {
        rows<const char*>({{"its name", "params.yaml"},
                           {"a roundabout way", "./params.yaml"},
                           {"a link", "link"},
                           {"a hard link", "hard"}});
    }
    void overwritesTheConfigOnlyInPlace()
    {
        QVERIFY(QFile::link(m_path, path("link")));
        QCOMPARE(::link(QFile::encodeName(m_path).constData(), QFile::encodeName(path("hard")).constData()),
                 0);
        const QStringList output{QStringLiteral("--output"), path(row<const char*>()),
                                 QStringLiteral("--force")};
        const ProgramRun exported = exportSize(4, output);
        QVERIFY2(exported.refused({"is the config itself", "--in-place"}), exported.text());
        const ProgramRun explored = runProgram(exploreArguments("", output, m_path));
        QVERIFY2(explored.refused({"is the config itself", "--in-place"}), explored.text());
        QCOMPARE(bytesOf(m_path), params);
    }

    // Other files of the command are protected under all of their names, even with --force.
    void overwritesNothingThatTheCommandNeeds_data()
    {
        const QByteArray network = bytesOf(examplePath("llama-tiny.yaml"));
        const QByteArray example = bytesOf(examplePath("gpt2-tiny.yaml"));
        rows<Needed>(
            {{"a network", {.command = "explore %1 --model %2", .bytes = network}},
             {"a hard link to it", {.command = "explore %1 --model %2", .bytes = network, .isLinked = true}},
             {"lengths of samples",
              {.config = example, .command = "explore %1 --sample-lengths %2", .bytes = "7\n"}},
             {"a module", {.config = script, .command = "export %1 --size 4", .bytes = "PK"}}});
    }
    void overwritesNothingThatTheCommandNeeds()
    {
        const auto& [config, command, bytes, isLinked] = row<Needed>();
        const QString needed = path("needed");
        const QString link = path("link");
        QVERIFY(writeBytes(m_path, config) && writeBytes(needed, bytes));
        QCOMPARE(::link(QFile::encodeName(needed).constData(), QFile::encodeName(link).constData()), 0);
        QStringList arguments = words(command);
        for (QString& word : arguments)
            word = word.replace(QLatin1String("%1"), m_path).replace(QLatin1String("%2"), needed);
        const ProgramRun run =
            runProgram(arguments + words("--force --output") + QStringList{isLinked ? link : needed});
        QVERIFY2(run.refused({"is a file that this command needs"}), run.text());
        QCOMPARE(bytesOf(needed), bytes);
        QCOMPARE(bytesOf(link), bytes);
    }

    // The refusal must come before trials, which may take an hour.
    void refusesToOverwriteBeforeAnyTrial()
    {
        const QString other = path("other.yaml");
        QVERIFY(writeBytes(other, "precious\n"));
        const ProgramRun run = runProgram(exploreArguments("", {QStringLiteral("--output"), other}));
        QVERIFY2(run.refused({"already exists", "--force"}), run.text());
        QCOMPARE(bytesOf(other), QByteArray("precious\n"));
    }

    void writesNothingBelowTheConfidence_data()
    {
        rows<Unsure>({{"in place", {.options = "--in-place"}},
                      {"shown", {.options = "--diff"}},
                      {"as sure as asked", {.options = "--in-place --min-confidence 0", .exitCode = 0}},
                      {"sure of the one size", {.options = "--in-place --setting 32", .exitCode = 0}},
                      {"nothing to write", {.options = "--min-confidence 95", .exitCode = 0}}});
    }
    void writesNothingBelowTheConfidence()
    {
        const auto& [options, exitCode] = row<Unsure>();
        QVERIFY(writeBytes(m_path, bytesOf(examplePath("gpt2-tiny.yaml"))));
        const ProgramRun run =
            runProgram(exploreArguments("", words("--max-trials 1") + words(options), m_path));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2(run.answers("micro_batch_size: "), run.text());
        if (exitCode == 0)
            return;
        QVERIFY2(run.remarks("batchpeak: nothing was written. Confidence is "), run.text());
        QVERIFY2(run.remarks(" %, below the required 50 %."), run.text());
        QVERIFY2(run.remarks("--min-confidence 0"), run.text());
        QVERIFY2(run.err.endsWith(QStringLiteral("batchpeak export %1 --size 1 --in-place\n").arg(m_path)),
                 run.text());
        QVERIFY2(!run.answers("---"), run.text());
        QCOMPARE(bytesOf(m_path), bytesOf(examplePath("gpt2-tiny.yaml")));
    }

    void writesTheBatchThatIsGiven()
    {
        const ProgramRun run = exportSize(4, words("--global-batch 12 --in-place"));
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(bytesOf(m_path),
                 QByteArray("train_input:\r\n  batch_size: 12\r\n  micro_batch_size: 4 # sizes\r\n"));
    }

    // Cerebras spreads any batch over micro-batches.
    void keepsABatchThatFitsTheSize()
    {
        const ProgramRun run = exportSize(3, words("--global-batch above --in-place"));
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(bytesOf(m_path), QByteArray(params).replace("explore", "3"));
    }

    void refusesAnUnknownBatch()
    {
        const ProgramRun run = exportSize(4, words("--global-batch near"));
        QVERIFY2(run.refused({"--global-batch must be below, above or a whole number", "not 'near'"}),
                 run.text());
    }

    void writesTheChosenBatch_data()
    {
        rows<const char*, int>({{"below", {"below", 1}}, {"above", {"above", 2}}, {"given", {"36", 3}}});
    }
    void writesTheChosenBatch()
    {
        const auto& [choice, steps] = row<const char*, int>();
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run = exportSize(12, words("--in-place --global-batch") + words(choice));
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(bytesOf(m_path), QByteArray(axolotl)
                                      .replace("steps: 8", "steps: " + QByteArray::number(steps))
                                      .replace("size: 2", "size: 12"));
    }

    void writesNothingBeforeABatchIsChosen_data()
    {
        const char* inPlace = "%1 --size 12 --global-batch 24 --in-place";
        rows<Refusal>({{"in place", {.options = "--in-place", .command = inPlace}},
                       {"to stdout", {.options = "", .command = inPlace}},
                       {"shown", {.options = "--diff", .command = inPlace}},
                       {"to another file",
                        {.options = "--output /no/such/o.yaml",
                         .command = "%1 --size 12 --global-batch 24 --output /no/such/o.yaml"}},
                       {"a name with a space",
                        {.name = "my params.yaml",
                         .options = "",
                         .command = "'%1' --size 12 --global-batch 24 --in-place"}}});
    }
    void writesNothingBeforeABatchIsChosen()
    {
        const auto& [name, options, command] = row<Refusal>();
        QVERIFY(QFile::remove(m_path));
        m_path = path(name);
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run = exportSize(12, words(options));
        QVERIFY2(run.refused({"Use --global-batch 12 or 24, or another size."}), run.text());
        QVERIFY2(run.err.endsWith(QStringLiteral("batchpeak export ") +
                                  QString::fromLatin1(command).arg(m_path) + QLatin1Char('\n')),
                 run.text());
        QCOMPARE(bytesOf(m_path), axolotl);
        QCOMPARE(files(), QStringList{QString::fromLatin1(name)});
    }

    // Cerebras refuses a size above the batch, and accepts it with a larger batch.
    void writesASizeAboveTheBatchWithALargerBatch()
    {
        const ProgramRun refused = exportSize(12, words("--in-place"));
        QVERIFY2(refused.refused({"Use --global-batch 12 or another size.", "--size 12 --global-batch 12"}),
                 refused.text());
        QCOMPARE(bytesOf(m_path), params);
        const ProgramRun run = exportSize(12, words("--global-batch above --in-place"));
        QVERIFY2(run.succeeded({"Wrote"}), run.text());
        QCOMPARE(bytesOf(m_path), QByteArray(params).replace("size: 8", "size: 12").replace("explore", "12"));
    }

    void undoesAnExport()
    {
        QVERIFY2(exportSize(4, words("--in-place")).succeeded(), "it was not written");
        const QByteArray written = bytesOf(m_path);
        const ProgramRun shown = undo(words("--diff"));
        QVERIFY2(
            shown.succeeded({"-  micro_batch_size: 4 # sizes\r\n+  micro_batch_size: explore # sizes\r\n"}),
            shown.text());
        QCOMPARE(bytesOf(m_path), written);
        // A later change of the user is not overwritten.
        QVERIFY(writeBytes(m_path, written + "# mine\n"));
        const ProgramRun changed = undo({});
        QVERIFY2(changed.refused({"has changed since", "--force"}), changed.text());
        QCOMPARE(bytesOf(m_path), written + "# mine\n");
        QVERIFY2(undo(words("--force")).succeeded(), "it was not taken back");
        QCOMPARE(bytesOf(m_path), params);
        const ProgramRun again = undo({});
        QVERIFY2(again.refused({"there is no export to undo for"}), again.text());
    }

    void writesNothingIfNothingChanges()
    {
        QVERIFY(writeBytes(m_path, "train_input: {batch_size: 8, micro_batch_size: 4}\n"));
        const ProgramRun run = exportSize(4, words("--in-place"));
        QVERIFY2(run.succeeded() && run.remarks("nothing was written"), run.text());
        QVERIFY2(!run.answers("Wrote"), run.text());
        QVERIFY2(undo({}).refused({"there is no export to undo for"}), run.text());
    }

    void warnsOfAFileWithTwoNames()
    {
        const QString other = linkToConfig();
        const ProgramRun run = exportSize(4, words("--in-place"));
        QVERIFY2(run.succeeded({"Wrote"}), run.text());
        QVERIFY2(run.remarks("is written in place") && run.remarks("2 names"), run.text());
        QCOMPARE(bytesOf(other), QByteArray(params).replace("explore", "4"));
        QVERIFY2(undo({}).succeeded(), "it was not taken back");
        QCOMPARE(bytesOf(other), params);
    }

    // The warning must come before trials, which take time.
    void warnsOfAFileWithTwoNamesBeforeAnyTrial()
    {
        QVERIFY(writeBytes(m_path, bytesOf(examplePath("gpt2-tiny.yaml"))));
        linkToConfig();
        const ProgramRun run = runProgram(exploreArguments("", words("--dry-run --in-place"), m_path));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.remarks("is written in place") && run.remarks("2 names"), run.text());
    }

    void reportsThatThereIsNoBatchBelow()
    {
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run = exportSize(32, words("--global-batch below --in-place"));
        QVERIFY2(run.refused({"There is no smaller batch"}), run.text());
        QCOMPARE(bytesOf(m_path), axolotl);
    }

    void showsWhatAnExplorationWouldWrite()
    {
        const QByteArray example = bytesOf(examplePath("gpt2-tiny.yaml"));
        QVERIFY(writeBytes(m_path, example));
        const ProgramRun run =
            runProgram(exploreArguments("", words("--setting 32 --in-place --diff"), m_path));
        QVERIFY2(
            run.succeeded({"recommended", "-    micro_batch_size: explore\n+    micro_batch_size: 32\n"}),
            run.text());
        QVERIFY2(!run.answers("Wrote"), run.text());
        QCOMPARE(bytesOf(m_path), example);
    }

    void exploresOnlySizesThatCanBeWritten_data()
    {
        const char* divisors = "Only the sizes that divide the batch of 16 are explored";
        const char* sizes = "Divisors of 16 are considered: 1, 2, 4, 8, 16.";
        const char* notAll = "A size that does not divide the batch of";
        const char* all = "Sizes 1 to 65535 are considered.";
        rows<Searched>({{"in place", {"--in-place", divisors, sizes}},
                        {"shown", {"--diff", divisors, sizes}},
                        {"within bounds", {"--diff --max 5", divisors, "considered: 1, 2, 4."}},
                        {"nothing to write", {"", divisors, sizes}},
                        {"beyond the batch", {"--max 64", "", "Sizes 1 to 64 are considered."}},
                        {"another batch", {"--in-place --global-batch above", "", all}},
                        {"a batch that is given", {"--in-place --global-batch 48", notAll, all}},
                        {"all sizes", {"--in-place --setting explore", notAll, all}},
                        {"one size", {"--in-place --setting 3", "", "Only size 3"}}});
    }
    void exploresOnlySizesThatCanBeWritten()
    {
        const auto& [options, remark, sizes] = row<Searched>();
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run = exploreSmall(words("--dry-run --sequence-length 64") + words(options));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.answers(sizes), run.text());
        QVERIFY2(run.answers("Divisors") == run.remarks("Only the sizes"), run.text());
        QVERIFY2(run.remarks(remark), run.text());
        QVERIFY2(*remark != '\0' || !run.remarks("batch of"), run.text());
    }

    // The trainer of this config also runs the remainder of a batch.
    void warnsThatASizeAboveTheBatchIsNotWritten()
    {
        QVERIFY(writeBytes(m_path, "max_seq_len: 64\nglobal_train_batch_size: 16\n"
                                   "device_train_microbatch_size: 2\ntrain_loader: {name: text}\n"));
        const ProgramRun run = exploreSmall(words("--dry-run --in-place --setting explore"));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.remarks("A size that is above the batch of 16 will not be written."), run.text());
    }

    void writesASizeThatItExplored()
    {
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run =
            exploreSmall(words("--max-trials 3 --min-confidence 0 --in-place --sequence-length 8"));
        QVERIFY2(run.succeeded({"Wrote"}), run.text());
        static const QRegularExpression written(
            QStringLiteral("gradient_accumulation_steps: (\\d+)\nmicro_batch_size: (\\d+)\n"));
        const auto numbers = written.match(QString::fromUtf8(bytesOf(m_path)));
        QVERIFY2(numbers.captured(1).toInt() * numbers.captured(2).toInt() == 16, run.text());
    }

    void printsTheResultIfABatchMustBeChosen()
    {
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run = exploreSmall(words("--setting 12 --in-place --sequence-length 64"));
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.answers("micro_batch_size: 12"), run.text());
        QVERIFY2(run.remarks("--size 12 --global-batch 24 --in-place"), run.text());
        QCOMPARE(bytesOf(m_path), axolotl);
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

    /// Creates a hard link to the config.
    /// \return path of the link
    QString linkToConfig() const
    {
        const QString other = path("other.yaml");
        if (::link(QFile::encodeName(m_path).constData(), QFile::encodeName(other).constData()) != 0)
            qFatal("no link can be made");
        return other;
    }

    ProgramRun undo(const QStringList& options) const
    {
        return runProgram(words("export --undo") + QStringList{m_path} + options);
    }

    /// Explores with a small network instead of the config's.
    ProgramRun exploreSmall(const QStringList& options) const
    {
        const QStringList network{QStringLiteral("--model"), examplePath("llama-tiny.yaml")};
        return runProgram(exploreArguments("", options + network, m_path));
    }

    QStringList files() const { return QDir(m_folder->path()).entryList(QDir::Files); }

    ProgramRun exportSize(int size, const QStringList& options) const
    {
        return runProgram(
            QStringList{QStringLiteral("export"), m_path, QStringLiteral("--size"), QString::number(size)} +
            options);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(ConfigOutputTest)
#include "tst_config_output.moc"

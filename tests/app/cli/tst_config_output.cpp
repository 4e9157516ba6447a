// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace {

const QByteArray params("train_input:\r\n  batch_size: 8\r\n  micro_batch_size: explore # sizes\r\n");
/// A trainer's that knows whole micro-batches alone.
const QByteArray axolotl("base_model: NousResearch/Llama-3.2-1B\n"
                         "datasets:\n  - path: mhenrichsen/alpaca_2k_test\n    type: alpaca\n"
                         "sequence_len: 2048\n"
                         "gradient_accumulation_steps: 8\nmicro_batch_size: 2\n");

struct Refusal
{
    const char* name = "params.yaml";
    const char* options;
    /// What the refusal says to type, behind the name of the program and of its command.
    const char* command;
};

} // namespace

/// What "batchpeak export" and "batchpeak explore" write into configs, show of it, or leave alone.
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
        const ProgramRun run = exportSize(4, words("--dry-run") + options);
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(run.out, QStringLiteral("--- a%1\n+++ b%2\n@@ -1,3 +1,3 @@\n"
                                         " train_input:\r\n   batch_size: 8\r\n"
                                         "-  micro_batch_size: explore # sizes\r\n"
                                         "+  micro_batch_size: 4 # sizes\r\n")
                              .arg(m_path, path(target)));
        QCOMPARE(files(), QStringList{QStringLiteral("params.yaml")});
        QCOMPARE(bytesOf(m_path), params);
    }

    void saysThatNothingWouldChange()
    {
        QVERIFY(writeBytes(m_path, "train_input: {batch_size: 8, micro_batch_size: 4}\n"));
        const ProgramRun run = exportSize(4, words("--dry-run"));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.remarks("nothing would change"), run.text());
    }

    void writesTheBatchThatIsGiven()
    {
        const ProgramRun run = exportSize(4, words("--global-batch 12 --in-place"));
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(bytesOf(m_path),
                 QByteArray("train_input:\r\n  batch_size: 12\r\n  micro_batch_size: 4 # sizes\r\n"));
    }

    // Cerebras spreads any batch over micro-batches.
    void keepsABatchThatCanBeKept()
    {
        const ProgramRun run = exportSize(3, words("--global-batch above --in-place"));
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(bytesOf(m_path), QByteArray(params).replace("explore", "3"));
    }

    void refusesAnUnknownBatch()
    {
        const ProgramRun run = exportSize(4, words("--global-batch near"));
        QVERIFY2(run.refused({"--global-batch: 'near'", "below or above"}), run.text());
    }

    void letsTheBatchBeChosen_data()
    {
        rows<const char*, int>({{"below", {"below", 1}}, {"above", {"above", 2}}, {"given", {"36", 3}}});
    }
    void letsTheBatchBeChosen()
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
                       {"shown", {.options = "--dry-run", .command = inPlace}},
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
        QVERIFY2(run.refused({"Use --global-batch 12 or 24"}), run.text());
        QVERIFY2(run.err.endsWith(QStringLiteral("batchpeak export ") +
                                  QString::fromLatin1(command).arg(m_path) + QLatin1Char('\n')),
                 run.text());
        QCOMPARE(bytesOf(m_path), axolotl);
        QCOMPARE(files(), QStringList{QString::fromLatin1(name)});
    }

    void saysThatThereIsNoBatchBelow()
    {
        QVERIFY(writeBytes(m_path, axolotl));
        const ProgramRun run = exportSize(32, words("--global-batch below --in-place"));
        QVERIFY2(run.refused({"There is no batch below"}), run.text());
        QCOMPARE(bytesOf(m_path), axolotl);
    }

    void showsWhatAnExplorationWouldWrite()
    {
        const QByteArray example = bytesOf(examplePath("gpt2-tiny.yaml"));
        QVERIFY(writeBytes(m_path, example));
        const ProgramRun run =
            runProgram(exploreArguments("", words("--setting 32 --in-place --dry-run"), m_path));
        QVERIFY2(
            run.succeeded({"recommended", "-    micro_batch_size: explore\n+    micro_batch_size: 32\n"}),
            run.text());
        QVERIFY2(!run.answers("written to"), run.text());
        QCOMPARE(bytesOf(m_path), example);
    }

    void keepsTheLastLinesWhereABatchHasToBeChosen()
    {
        QVERIFY(writeBytes(m_path, axolotl));
        const QStringList network{QStringLiteral("--model"), examplePath("llama-tiny.yaml")};
        const ProgramRun run = runProgram(
            exploreArguments("", words("--setting 12 --in-place --sequence-length 64") + network, m_path));
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.answers("micro_batch_size: 12"), run.text());
        QVERIFY2(run.remarks("--size 12 --global-batch 24 --in-place"), run.text());
        QCOMPARE(bytesOf(m_path), axolotl);
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

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

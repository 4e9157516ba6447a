// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
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
        write(QStringLiteral("params.yaml"), params);
    }

    void showsWhatWouldChange_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("target");
        QTest::newRow("without a target") << QStringList{} << QStringLiteral("params.yaml");
        QTest::newRow("in place") << QStringList{QStringLiteral("--in-place")}
                                  << QStringLiteral("params.yaml");
        QTest::newRow("to another file")
            << QStringList{QStringLiteral("--output")} << QStringLiteral("o.yaml");
    }
    void showsWhatWouldChange()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, target);
        if (options.contains(QStringLiteral("--output")))
            options << path(target);
        const ProgramRun run = exportSize(4, QStringList{QStringLiteral("--dry-run")} + options);
        QVERIFY2(run.exitCode == 0, run.text());
        QCOMPARE(run.out, QStringLiteral("--- a%1\n+++ b%2\n@@ -1,3 +1,3 @@\n"
                                         " train_input:\r\n   batch_size: 8\r\n"
                                         "-  micro_batch_size: explore # sizes\r\n"
                                         "+  micro_batch_size: 4 # sizes\r\n")
                              .arg(path(QStringLiteral("params.yaml")), path(target)));
        QCOMPARE(files(), QStringList{QStringLiteral("params.yaml")});
        QCOMPARE(bytesOf(path(QStringLiteral("params.yaml"))), params);
    }

    void saysThatNothingWouldChange()
    {
        write(QStringLiteral("params.yaml"), "train_input: {batch_size: 8, micro_batch_size: 4}\n");
        const ProgramRun run = exportSize(4, {QStringLiteral("--dry-run")});
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("nothing would change")), run.text());
    }

    void writesTheBatchThatIsGiven()
    {
        const ProgramRun run = exportSize(
            4, {QStringLiteral("--global-batch"), QStringLiteral("12"), QStringLiteral("--in-place")});
        QVERIFY2(run.exitCode == 0, run.text());
        QCOMPARE(bytesOf(path(QStringLiteral("params.yaml"))),
                 QByteArray("train_input:\r\n  batch_size: 12\r\n  micro_batch_size: 4 # sizes\r\n"));
    }

    // Cerebras spreads any batch over micro-batches.
    void keepsABatchThatCanBeKept()
    {
        const ProgramRun run = exportSize(
            3, {QStringLiteral("--global-batch"), QStringLiteral("above"), QStringLiteral("--in-place")});
        QVERIFY2(run.exitCode == 0, run.text());
        QCOMPARE(bytesOf(path(QStringLiteral("params.yaml"))), QByteArray(params).replace("explore", "3"));
    }

    void refusesAnUnknownBatch()
    {
        const ProgramRun run = exportSize(4, {QStringLiteral("--global-batch"), QStringLiteral("near")});
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.err.contains(QStringLiteral("--global-batch: 'near'")), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("below or above")), run.text());
    }

    void letsTheBatchBeChosen_data()
    {
        QTest::addColumn<QString>("choice");
        QTest::addColumn<int>("steps");
        QTest::newRow("below") << QStringLiteral("below") << 1;
        QTest::newRow("above") << QStringLiteral("above") << 2;
        QTest::newRow("given") << QStringLiteral("36") << 3;
    }
    void letsTheBatchBeChosen()
    {
        QFETCH(QString, choice);
        QFETCH(int, steps);
        write(QStringLiteral("params.yaml"), axolotl);
        const ProgramRun run =
            exportSize(12, {QStringLiteral("--global-batch"), choice, QStringLiteral("--in-place")});
        QVERIFY2(run.exitCode == 0, run.text());
        QCOMPARE(bytesOf(path(QStringLiteral("params.yaml"))),
                 QByteArray(axolotl)
                     .replace("steps: 8", "steps: " + QByteArray::number(steps))
                     .replace("size: 2", "size: 12"));
    }

    void writesNothingBeforeABatchIsChosen_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("command");
        const QString plain = QStringLiteral("params.yaml");
        QTest::newRow("in place") << plain << QStringList{QStringLiteral("--in-place")}
                                  << QStringLiteral("%1 --size 12 --global-batch 24 --in-place");
        QTest::newRow("to stdout") << plain << QStringList{}
                                   << QStringLiteral("%1 --size 12 --global-batch 24 --in-place");
        QTest::newRow("shown") << plain << QStringList{QStringLiteral("--dry-run")}
                               << QStringLiteral("%1 --size 12 --global-batch 24 --in-place");
        QTest::newRow("to another file")
            << plain << QStringList{QStringLiteral("--output"), QStringLiteral("/no/such/o.yaml")}
            << QStringLiteral("%1 --size 12 --global-batch 24 --output /no/such/o.yaml");
        QTest::newRow("a name with a space") << QStringLiteral("my params.yaml") << QStringList{}
                                             << QStringLiteral("'%1' --size 12 --global-batch 24 --in-place");
    }
    void writesNothingBeforeABatchIsChosen()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, options);
        QFETCH(QString, command);
        write(QStringLiteral("params.yaml"), axolotl);
        if (name != QLatin1String("params.yaml"))
            QVERIFY(QFile::rename(path(QStringLiteral("params.yaml")), path(name)));
        const ProgramRun run = runProgram(QStringList{QStringLiteral("export"), path(name),
                                                      QStringLiteral("--size"), QStringLiteral("12")} +
                                          options);
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("choose a batch of 12 or 24")), run.text());
        QVERIFY2(run.err.endsWith(QStringLiteral("batchpeak export ") + command.arg(path(name)) +
                                  QLatin1Char('\n')),
                 run.text());
        QCOMPARE(bytesOf(path(name)), axolotl);
        QCOMPARE(files(), QStringList{name});
    }

    void saysThatThereIsNoBatchBelow()
    {
        write(QStringLiteral("params.yaml"), axolotl);
        const ProgramRun run = exportSize(
            32, {QStringLiteral("--global-batch"), QStringLiteral("below"), QStringLiteral("--in-place")});
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.err.contains(QStringLiteral("There is no batch below")), run.text());
        QCOMPARE(bytesOf(path(QStringLiteral("params.yaml"))), axolotl);
    }

    void showsWhatAnExplorationWouldWrite()
    {
        const QString copy = path(QStringLiteral("gpt2.yaml"));
        QVERIFY(QFile::copy(examplePath(QStringLiteral("gpt2-tiny.yaml")), copy));
        QStringList arguments =
            exploreArguments({}, {QStringLiteral("--setting"), QStringLiteral("32"),
                                  QStringLiteral("--in-place"), QStringLiteral("--dry-run")});
        arguments[1] = copy;
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(QStringLiteral("recommended")), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("-    micro_batch_size: explore\n"
                                                 "+    micro_batch_size: 32\n")),
                 run.text());
        QVERIFY2(!run.out.contains(QStringLiteral("written to")), run.text());
        QCOMPARE(bytesOf(copy), bytesOf(examplePath(QStringLiteral("gpt2-tiny.yaml"))));
    }

    void keepsTheLastLinesWhereABatchHasToBeChosen()
    {
        write(QStringLiteral("params.yaml"), axolotl);
        QStringList arguments = exploreArguments(
            {}, {QStringLiteral("--setting"), QStringLiteral("12"), QStringLiteral("--in-place"),
                 QStringLiteral("--model"), examplePath(QStringLiteral("llama-tiny.yaml")),
                 QStringLiteral("--sequence-length"), QStringLiteral("64")});
        arguments[1] = path(QStringLiteral("params.yaml"));
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.out.contains(QStringLiteral("micro_batch_size: 12")), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("--size 12 --global-batch 24 --in-place")), run.text());
        QCOMPARE(bytesOf(path(QStringLiteral("params.yaml"))), axolotl);
    }

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }

    QStringList files() const { return QDir(m_folder->path()).entryList(QDir::Files); }

    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }

    ProgramRun exportSize(int size, const QStringList& options) const
    {
        return runProgram(QStringList{QStringLiteral("export"), path(QStringLiteral("params.yaml")),
                                      QStringLiteral("--size"), QString::number(size)} +
                          options);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ConfigOutputTest)
#include "tst_config_output.moc"

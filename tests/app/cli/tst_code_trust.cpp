// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace batchpeak;

/// Tests when the program runs code that a config names.
class CodeTrustTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_environment = environmentWithoutDisplay();
        m_environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder->filePath(QStringLiteral("data")));
    }

    void runsAGrowthFunctionOnceItIsTrusted_data()
    {
        rows<const char*>({{"as it is named", "grow.py"}, {"a blank behind it", "'grow.py '"}});
    }
    void runsAGrowthFunctionOnceItIsTrusted()
    {
        const QString config = writeConfig("one", row<const char*>());
        const ProgramRun unasked = train(config);
        QVERIFY2(unasked.refused({"grow.py", "add --trust."}), unasked.text());
        QVERIFY(!hasRun("one"));
        const ProgramRun told = train(config, {QStringLiteral("--trust")});
        QVERIFY2(told.exitCode == 0, told.text());
        QVERIFY(hasRun("one"));
        const ProgramRun again = train(config);
        QVERIFY2(again.exitCode == 0, again.text());
        // The same file next to another file that it can import counts as other code.
        const QString other = writeConfig("two", row<const char*>());
        QVERIFY(writeBytes(path("two/json.py"), "open('ran', 'w').close()\n"));
        const ProgramRun beside = train(other);
        QVERIFY2(beside.refused({"grow.py", "with the Python files beside it", "add --trust."}),
                 beside.text());
        QVERIFY(!hasRun("two"));
    }

    void asksForTrustInRemoteCodeEachTime()
    {
        const QString config = path("net.yaml");
        QVERIFY(writeBytes(config, "batchpeak: 1\nmodel:\n  family: torchscript\n  file: far.pt\n"
                                   "  inputs: [{shape: [12]}]\n  output: logits\n  classes: 5\n"
                                   "batch_size: 64\nmicro_batch_size: explore\n"));
        const QStringList arguments =
            exploreArguments("", words("--launcher env --max-trials 2 --no-verify"), config);
        const ProgramRun unasked = runProgram(arguments, m_environment);
        QVERIFY2(unasked.refused({"far.pt", "not on this computer", "add --trust each time"}),
                 unasked.text());
        const ProgramRun told = runProgram(arguments + words("--trust"), m_environment);
        QVERIFY2(told.exitCode == 0, told.text());
        const ProgramRun again = runProgram(arguments, m_environment);
        QVERIFY2(again.refused({"far.pt", "add --trust each time"}), again.text());
    }

    void refusesTrustWithoutAConfig()
    {
        const ProgramRun run = runProgram(words("--trust"), m_environment);
        QVERIFY2(run.refused({"--trust lets the code of one config run", "batchpeak FILE --trust"}),
                 run.text());
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromUtf8(name)); }

    /// Writes a config and its growth function into a folder.
    /// \return path of the config
    QString writeConfig(const char* folder, const char* growth) const
    {
        const QDir inside(path(folder));
        const QString config = inside.filePath(QStringLiteral("net.yaml"));
        const bool isWritten =
            inside.mkpath(QStringLiteral(".")) &&
            writeBytes(config, QByteArray("batchpeak: 1\n"
                                          "model: {family: gpt2, vocabulary_size: 128, hidden_size: 32, "
                                          "layers: 2, heads: 2, key_value_heads: 2,\n"
                                          "        feed_forward_size: 64, max_positions: 32}\n"
                                          "batch_size: 32\nmicro_batch_size: 8\n"
                                          "batch_increase_function: ") +
                                   growth + '\n') &&
            writeBytes(inside.filePath(QStringLiteral("grow.py")),
                       "import json\nopen('ran', 'w').close()\n"
                       "def batch_increase_function(epoch, current_batch_size):\n    return 0\n");
        if (!isWritten)
            qFatal("The folder %s cannot be written.", folder);
        return config;
    }

    bool hasRun(const char* folder) const
    {
        return QFile::exists(QDir(path(folder)).filePath(QStringLiteral("ran")));
    }

    ProgramRun train(const QString& config, const QStringList& options = {}) const
    {
        return runProgram(QStringList{QStringLiteral("train"), config, QStringLiteral("--worker"),
                                      QStringLiteral(BATCHPEAK_FAKE_WORKER), QStringLiteral("--device"),
                                      QStringLiteral("cpu"), QStringLiteral("--epochs"), QStringLiteral("2"),
                                      QStringLiteral("--samples"), QStringLiteral("64")} +
                              options,
                          m_environment);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QProcessEnvironment m_environment;
};

BATCHPEAK_TEST(CodeTrustTest)
#include "tst_code_trust.moc"

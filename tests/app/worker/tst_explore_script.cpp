// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// libtorch must be included before Qt, whose keyword "slots" is a name in libtorch.
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_scripts.h"

#include "program_run.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;

/// Tests the exploration of a TorchScript file by the real programs: the config names the file relative to
/// its own folder.
class ExploreScriptTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString configWith(const QString& file, int numbers)
    {
        const QString path = m_folder.filePath(QStringLiteral("net.yaml"));
        QFile config(path);
        if (!config.open(QIODevice::WriteOnly))
            return {};
        config.write(QStringLiteral("batchpeak: 1\nmodel:\n  family: torchscript\n  file: %1\n"
                                    "  inputs: [{shape: [%2]}]\n  output: logits\n  classes: 5\n"
                                    "batch_size: 64\nmicro_batch_size: explore\n")
                         .arg(file)
                         .arg(numbers)
                         .toUtf8());
        return path;
    }

    static ProgramRun explored(const QString& config, const QString& trust = QStringLiteral("--trust"))
    {
        return runProgram({QStringLiteral("explore"), config, trust, QStringLiteral("--device"),
                           QStringLiteral("cpu"), QStringLiteral("--max-trials"), QStringLiteral("2"),
                           QStringLiteral("--no-verify")});
    }

private slots:
    void initTestCase()
    {
        network::saveScript(m_folder.filePath(QStringLiteral("net.pt")).toStdString(), network::logitsForward,
                            5);
    }

    void findsASize()
    {
        const ProgramRun run = explored(configWith(QStringLiteral("net.pt"), 12));
        QVERIFY2(run.exitCode == 0, run.text());
        VERIFY_CONTAINS(run.text(), "torchscript, parameters counted when loaded");
        QVERIFY2(run.out.contains(QStringLiteral("BEXP202")), run.text());
    }

    void runsNoCodeWithoutTrust()
    {
        QFile::remove(m_folder.filePath(QStringLiteral("other.pt")));
        QVERIFY(QFile::copy(m_folder.filePath(QStringLiteral("net.pt")),
                            m_folder.filePath(QStringLiteral("other.pt"))));
        QFile other(m_folder.filePath(QStringLiteral("other.pt")));
        QVERIFY(other.open(QIODevice::Append) && other.write("another content") > 0);
        other.close();
        const ProgramRun run =
            explored(configWith(QStringLiteral("other.pt"), 12), QStringLiteral("--no-verify"));
        QVERIFY2(run.refused({"other.pt", "add --trust"}), run.text());
    }

    void quotesTheErrorOfTheModuleForAWrongShape()
    {
        const ProgramRun run = explored(configWith(QStringLiteral("net.pt"), 13));
        QVERIFY2(run.exitCode == 3, run.text());
        QVERIFY2(run.err.contains(QStringLiteral("shapes cannot be multiplied")), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("Correct the inputs in the config")), run.text());
    }

    void reportsAMissingFile()
    {
        const ProgramRun run = explored(configWith(QStringLiteral("absent.pt"), 12));
        QVERIFY2(run.exitCode == 3, run.text());
        QVERIFY2(run.err.contains(QStringLiteral("absent.pt does not exist")), run.text());
    }
};

BATCHPEAK_TEST(ExploreScriptTest)
#include "tst_explore_script.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

/// --model: a network beside the config.
class ChosenNetworkTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(QStringLiteral("params.yaml"));
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("train_input:\n  batch_size: 256\n  micro_batch_size: explore\n");
    }

    void needsANetwork_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("to explore") << QStringLiteral("explore") << 1;
        QTest::newRow("not to inspect") << QStringLiteral("inspect") << 0;
    }
    void needsANetwork()
    {
        QFETCH(QString, command);
        QFETCH(int, exitCode);
        const ProgramRun run = runProgram({command, m_path});
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2((run.out + run.err).contains(QStringLiteral("give one with --model")), run.text());
    }

    void isSaidByInspect()
    {
        const QString source = examplePath(QStringLiteral("llama-tiny.yaml"));
        const ProgramRun run =
            runProgram({QStringLiteral("inspect"), m_path, QStringLiteral("--model"), source});
        QVERIFY2(run.exitCode == 0, run.text());
        for (const QString& said : {source, QStringLiteral("1,250,432"), QStringLiteral("Cerebras params"),
                                    QStringLiteral("batch_size 256 on 1 device")})
            QVERIFY2(run.out.contains(said), run.text());
    }

    void isKnownByItsId()
    {
        const ProgramRun run = runProgram({QStringLiteral("inspect"), m_path, QStringLiteral("--model"),
                                           QStringLiteral("openai-community/gpt2")});
        QVERIFY2(run.exitCode == 0, run.text());
        for (const char* said : {"openai-community/gpt2", "124,439,808", "batch_size 256 on 1 device"})
            QVERIFY2(run.out.contains(QString::fromUtf8(said)), run.text());
    }

    void isExplored()
    {
        const QString source = examplePath(QStringLiteral("llama-tiny.yaml"));
        const ProgramRun run = explore({QStringLiteral("--model"), source, QStringLiteral("--setting"),
                                        QStringLiteral("32"), QStringLiteral("--in-place")});
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(QStringLiteral("llama, 1,250,432 parameters, from ") + source), run.text());
        QCOMPARE(bytesOf(m_path), QByteArray("train_input:\n  batch_size: 256\n  micro_batch_size: 32\n"));
    }

    // Without a display what the window is asked for is done in the terminal.
    void isTakenByTheWindowToo()
    {
        const QString source = examplePath(QStringLiteral("llama-tiny.yaml"));
        QStringList arguments = exploreArguments({}, {QStringLiteral("--model"), source});
        arguments[0] = QStringLiteral("--start");
        arguments[1] = m_path;
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(run.out.contains(QStringLiteral("from ") + source), run.text());
    }

    void isRefusedWithAReason_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("said");
        QTest::newRow("nothing") << QStringLiteral("nobody/none-1b")
                                 << QStringLiteral("batchpeak: nobody/none-1b: There is no such file, and no "
                                                   "well-known network has this id");
        QTest::newRow("batch normalisation in a Cerebras config")
            << examplePath(QStringLiteral("resnet18-tiny.yaml"))
            << QStringLiteral(
                   "Cerebras does not explore micro-batches of a network with batch normalisation");
    }
    void isRefusedWithAReason()
    {
        QFETCH(QString, source);
        QFETCH(QString, said);
        const ProgramRun run = explore({QStringLiteral("--model"), source});
        QVERIFY2(run.exitCode == 1, run.text());
        QVERIFY2(run.out.isEmpty(), run.text());
        QVERIFY2(run.err.contains(said), run.text());
    }

private:
    ProgramRun explore(const QStringList& options) const
    {
        QStringList arguments = exploreArguments({}, options);
        arguments[1] = m_path;
        return runProgram(arguments);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(ChosenNetworkTest)
#include "tst_chosen_network.moc"

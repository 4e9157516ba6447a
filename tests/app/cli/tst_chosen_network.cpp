// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <pwd.h>
#include <unistd.h>

/// Tests --model, which names a network in addition to the config.
class ChosenNetworkTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(QStringLiteral("params.yaml"));
        QVERIFY(writeBytes(m_path, "train_input:\n  batch_size: 256\n  micro_batch_size: explore\n"));
    }

    void needsANetwork_data()
    {
        rows<QString, int>({{"to explore", {QStringLiteral("explore"), 1}},
                            {"not to inspect", {QStringLiteral("inspect"), 0}}});
    }
    void needsANetwork()
    {
        const auto& [command, exitCode] = row<QString, int>();
        const ProgramRun run = runProgram({command, m_path});
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2((run.out + run.err).contains(QStringLiteral("give one with --model")), run.text());
    }

    void isPrintedByInspect_data()
    {
        rows<QString, const char*>({{"a file", {m_llama, "1,250,432"}},
                                    {"an id", {QStringLiteral("openai-community/gpt2"), "124,439,808"}}});
    }
    void isPrintedByInspect()
    {
        const auto& [model, parameters] = row<QString, const char*>();
        const ProgramRun run =
            runProgram({QStringLiteral("inspect"), m_path, QStringLiteral("--model"), model});
        QVERIFY2(run.succeeded({parameters, "Cerebras params", "batch_size 256 on 1 device"}), run.text());
        QVERIFY2(run.out.contains(model), run.text());
    }

    // A service may have no HOME; then the cache is in the home folder of its user, as in Python.
    void isSearchedInTheHomeFolder()
    {
        QProcessEnvironment environment = environmentWithoutDisplay();
        for (const char* variable : {"HOME", "HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME"})
            environment.remove(QLatin1String(variable));
        const ProgramRun run = runProgram(
            {QStringLiteral("inspect"), m_path, QStringLiteral("--model"), QStringLiteral("nobody/none-1b")},
            environment);
        const QByteArray cache = QByteArray(getpwuid(geteuid())->pw_dir) + "/.cache/huggingface/hub";
        QVERIFY2(run.remarks(cache.constData()), run.text());
    }

    void isExplored()
    {
        const ProgramRun run = exploreWith(m_llama, words("--setting 32 --in-place"));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("llama, 1,250,432 parameters, from ") + m_llama),
                 run.text());
        QCOMPARE(bytesOf(m_path), QByteArray("train_input:\n  batch_size: 256\n  micro_batch_size: 32\n"));
    }

    // Without a display, the program does in the terminal what the window was asked to do.
    void isAcceptedByTheWindowToo()
    {
        QStringList arguments = exploreArguments("", {QStringLiteral("--model"), m_llama}, m_path);
        arguments.front() = QStringLiteral("--start");
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.out.contains(QStringLiteral("from ") + m_llama), run.text());
    }

    void isRefusedWithAReason_data()
    {
        rows<QString, const char*>(
            {{"nothing",
              {QStringLiteral("nobody/none-1b"), "batchpeak: nobody/none-1b: The network is named "
                                                 "\"nobody/none-1b\", of which no config.json is in "}},
             {"batch normalization in a Cerebras config",
              {examplePath("resnet18-tiny.yaml"),
               "Cerebras does not explore a network with batch normalization"}}});
    }
    void isRefusedWithAReason()
    {
        const auto& [source, said] = row<QString, const char*>();
        const ProgramRun run = exploreWith(source, {});
        QVERIFY2(run.refused({said}), run.text());
    }

private:
    ProgramRun exploreWith(const QString& model, const QStringList& options) const
    {
        return runProgram(
            exploreArguments("", options + QStringList{QStringLiteral("--model"), model}, m_path));
    }

    const QString m_llama = examplePath("llama-tiny.yaml");
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(ChosenNetworkTest)
#include "tst_chosen_network.moc"

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Line
{
    /// Text before the cursor, with a blank between its words; the last word is completed.
    const char* typed;
    /// Some completions that are offered, and some that are not.
    const char* offered = "";
    const char* notOffered = "";
};

/// A script that prints the completions that bash offers for its arguments, as readline requests them.
constexpr auto askBash = R"(
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_batchpeak
printf '%s\n' "${COMPREPLY[@]}"
)";

QString shellPath(const char* shell)
{
    return QStandardPaths::findExecutable(QString::fromUtf8(shell));
}

QByteArray scriptFor(const char* shell)
{
    return runProgram({QStringLiteral("completion"), QString::fromUtf8(shell)}).out.toUtf8();
}

/// Splits a line as readline does: an equals sign is a separate word.
QStringList bashWords(const char* typed)
{
    return QString::fromUtf8(typed).replace(QLatin1String("="), QLatin1String(" = ")).split(QLatin1Char(' '));
}

} // namespace

/// Tests what "batchpeak completion" prints for each shell.
class ShellCompletionTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        for (const char* name : {"params.yaml", "other file.yaml"})
            QVERIFY(writeBytes(path(name), "x\n"));
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("runs")));
    }

    void completesInBash_data()
    {
        rows<Line>(
            {{"commands", {"batchpeak ", "explore train export history completion", "eval list"}},
             {"a command", {"batchpeak ex", "explore export", "train inspect"}},
             {"files for the window", {"batchpeak par", "params.yaml", "other"}},
             {"options of the window", {"batchpeak --", "--start --version --phase", "--steps --in-place"}},
             {"options",
              {"batchpeak explore --m", "--max --max-trials --min --memory-limit --model", "--phase"}},
             {"of their command", {"batchpeak export --", "--size --diff --dry-run", "--strategy"}},
             {"none that is refused", {"batchpeak train --", "--steps --device", "--sample-lengths"}},
             {"words", {"batchpeak explore params.yaml --phase ", "train eval", "params.yaml"}},
             {"a word", {"batchpeak explore --phase e", "eval", "train"}},
             {"behind an equals sign", {"batchpeak explore --phase=", "train eval", "params.yaml"}},
             {"a word behind it", {"batchpeak explore --phase=t", "train", "eval"}},
             {"words of this command", {"batchpeak train --setting ", "auto-halving null", "explore N auto"}},
             {"without placeholders", {"batchpeak explore --global-batch ", "below above", "N"}},
             {"strategies", {"batchpeak explore --strategy ", "posterior ramp", ""}},
             {"devices", {"batchpeak --device ", "cpu cuda", "cuda:N"}},
             {"a number", {"batchpeak explore --max-trials ", "", "params.yaml train"}},
             {"files", {"batchpeak explore p", "params.yaml", "runs"}},
             {"files and no commands", {"batchpeak inspect ", "params.yaml runs", "explore"}},
             {"a file as a value", {"batchpeak explore --output p", "params.yaml", "runs"}},
             {"folders", {"batchpeak train --resume ", "runs", "params.yaml"}},
             {"programs", {"batchpeak explore --worker bas", "bash", "params.yaml"}},
             {"actions", {"batchpeak history ", "list show compare delete", "params.yaml"}},
             {"shells", {"batchpeak completion ", "bash zsh fish", "params.yaml"}},
             {"nothing more", {"batchpeak devices ", "", "params.yaml explore"}}});
    }
    void completesInBash()
    {
        const auto& [typed, offered, notOffered] = row<Line>();
        const QString bash = shellPath("bash");
        if (bash.isEmpty())
            QSKIP("There is no bash on this computer.");
        QVERIFY(writeBytes(path("script"), scriptFor("bash")));
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(bash, QStringList{QStringLiteral("--norc"), QStringLiteral("-c"),
                                        QString::fromUtf8(askBash), bash, path("script")} +
                                bashWords(typed));
        QVERIFY(process.waitForFinished());
        const QString complaints = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(complaints.isEmpty(), qPrintable(complaints));
        const QStringList answers =
            QString::fromUtf8(process.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        const QByteArray all = answers.join(QLatin1Char('|')).toUtf8();
        for (const QString& word : words(offered))
            QVERIFY2(answers.contains(word), all);
        for (const QString& word : words(notOffered))
            QVERIFY2(!answers.contains(word), all);
    }

    void keepsBlanksInFileNames()
    {
        const QString bash = shellPath("bash");
        if (bash.isEmpty())
            QSKIP("There is no bash on this computer.");
        QVERIFY(writeBytes(path("script"), scriptFor("bash")));
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(bash, {QStringLiteral("--norc"), QStringLiteral("-c"), QString::fromUtf8(askBash), bash,
                             path("script"), QStringLiteral("batchpeak"), QStringLiteral("explore"),
                             QStringLiteral("oth")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.readAllStandardOutput(), QByteArray("other file.yaml\n"));
    }

    // Anyone who may write into a folder of PATH, or into the working folder, can give files any name.
    void runsNoCodeInFileNames_data()
    {
        rows<const char*, QByteArray>({{"of a program", {"--worker", "\\$\\(touch\\$\\{IFS\\}ran\\)\n"}},
                                       {"of a file", {"--output", "$(touch${IFS}ran)\n"}},
                                       {"of a folder", {"--resume", "$(touch${IFS}ran)\n"}}});
    }
    void runsNoCodeInFileNames()
    {
        const auto& [option, offered] = row<const char*, QByteArray>();
        const QString bash = shellPath("bash");
        if (bash.isEmpty())
            QSKIP("There is no bash on this computer.");
        QVERIFY(writeBytes(path("script"), scriptFor("bash")));
        const QString evil = path("$(touch${IFS}ran)");
        const bool isFolder = qstrcmp(option, "--resume") == 0;
        QVERIFY(isFolder ? QDir().mkpath(evil) : writeBytes(evil, "#!/bin/sh\n"));
        QVERIFY(QFile::setPermissions(evil, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"),
                           m_folder->path() + QLatin1Char(':') + environment.value(QStringLiteral("PATH")));
        process.setProcessEnvironment(environment);
        const QString command = isFolder ? QStringLiteral("train") : QStringLiteral("explore");
        for (const char* typed : {"", "$"}) {
            process.start(bash, {QStringLiteral("--norc"), QStringLiteral("-c"), QString::fromUtf8(askBash),
                                 bash, path("script"), QStringLiteral("batchpeak"), command,
                                 QString::fromUtf8(option), QString::fromUtf8(typed)});
            QVERIFY(process.waitForFinished());
        }
        QCOMPARE(process.readAllStandardOutput(), offered);
        QVERIFY(!QFile::exists(path("ran")));
    }

    void isAcceptedByItsShell_data()
    {
        rows<const char*>({{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}});
    }
    void isAcceptedByItsShell()
    {
        const char* const name = row<const char*>();
        const QByteArray script = scriptFor(name);
        QVERIFY(script.contains("explore") && script.contains("min-confidence"));
        const QString shell = shellPath(name);
        if (shell.isEmpty())
            QSKIP(qPrintable(QStringLiteral("There is no %1 on this computer to read its script.")
                                 .arg(QString::fromUtf8(name))));
        QVERIFY(writeBytes(path("script"), script));
        QProcess process;
        process.start(shell, {QStringLiteral("-n"), path("script")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.readAllStandardError(), QByteArray());
        QCOMPARE(process.exitCode(), 0);
    }

    void completesInFish_data()
    {
        rows<Line>({{"commands", {"batchpeak ", "explore train history", "list"}},
                    {"options", {"batchpeak explore --min", "--min --min-confidence", "--size"}},
                    {"words", {"batchpeak explore --phase ", "train eval", "params.yaml"}},
                    {"actions", {"batchpeak history ", "list show", "params.yaml"}},
                    {"files", {"batchpeak explore p", "params.yaml", ""}}});
    }
    void completesInFish()
    {
        const auto& [typed, offered, notOffered] = row<Line>();
        const QString fish = shellPath("fish");
        if (fish.isEmpty())
            QSKIP("There is no fish on this computer.");
        QVERIFY(writeBytes(path("script"), scriptFor("fish")));
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(
            fish,
            {QStringLiteral("--no-config"), QStringLiteral("-c"),
             QStringLiteral("source '%1'; complete -C '%2'").arg(path("script"), QString::fromUtf8(typed))});
        QVERIFY(process.waitForFinished());
        QStringList answers;
        for (const QString& line :
             QString::fromUtf8(process.readAllStandardOutput()).split(QLatin1Char('\n')))
            answers << line.section(QLatin1Char('\t'), 0, 0);
        const QByteArray all = answers.join(QLatin1Char('|')).toUtf8();
        for (const QString& word : words(offered))
            QVERIFY2(answers.contains(word), all);
        for (const QString& word : words(notOffered))
            QVERIFY2(!answers.contains(word), all);
    }

    void refusesAnUnknownShell()
    {
        const ProgramRun run = runProgram({QStringLiteral("completion"), QStringLiteral("tcsh")});
        QVERIFY2(run.refused({"bash, zsh or fish"}), run.text());
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromUtf8(name)); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ShellCompletionTest)
#include "tst_shell_completion.moc"

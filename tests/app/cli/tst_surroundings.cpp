// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

struct Variable
{
    const char* name;
    const char* value;
    /// That something is wrong with it.
    bool isSaid;
};

} // namespace

/// Tests environments and limits that the program cannot use.
class SurroundingsTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("here")));
    }

    // A history in the folder where somebody works is found nowhere else.
    void leavesTheWorkingFolderAlone_data()
    {
        rows<Variable>({{"a relative folder of data", {"XDG_DATA_HOME", "data", true}},
                        {"one of the folder itself", {"XDG_DATA_HOME", "./data", true}},
                        {"a relative cache", {"XDG_CACHE_HOME", "cache", true}},
                        {"a relative folder of settings", {"XDG_CONFIG_HOME", "config", true}},
                        {"an empty one", {"XDG_DATA_HOME", "", false}}});
    }
    void leavesTheWorkingFolderAlone()
    {
        const Variable& variable = row<Variable>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.remove(QStringLiteral("XDG_DATA_HOME"));
        environment.insert(QStringLiteral("HOME"), m_folder->path());
        environment.insert(QString::fromUtf8(variable.name), QString::fromUtf8(variable.value));
        const QByteArray said = explore(environment);
        QCOMPARE(said.contains(QByteArray(variable.name) + " is '" + variable.value), variable.isSaid);
        QVERIFY(QDir(here()).isEmpty());
        QVERIFY(
            QFile::exists(m_folder->filePath(QStringLiteral(".local/share/batchpeak/explorations.sqlite"))));
    }

    // The system knows another one, in which a test has nothing to write.
    void takesNoRelativeHome_data()
    {
        rows<Variable>({{"a name", {"HOME", "me", true}}, {"none", {"HOME", "", false}}});
    }
    void takesNoRelativeHome()
    {
        const Variable& variable = row<Variable>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QString::fromUtf8(variable.name), QString::fromUtf8(variable.value));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder->filePath(QStringLiteral("data")));
        QCOMPARE(explore(environment).contains("HOME is 'me'"), variable.isSaid);
        QVERIFY(QDir(here()).isEmpty());
    }

    void saysThatTooFewFilesMayBeOpen_data()
    {
        rows<rlim_t, rlim_t, bool>(
            {{"for good", {5, 5, false}}, {"and raises that", {5, 4096, true}}, {"not", {64, 64, true}}});
    }
    void saysThatTooFewFilesMayBeOpen()
    {
        const auto [usual, max, isEnough] = row<rlim_t, rlim_t, bool>();
        rlimit here{};
        if (getrlimit(RLIMIT_NOFILE, &here) != 0 || here.rlim_max < max)
            QSKIP("No more files may be open here.");
        QProcess process;
        process.setChildProcessModifier(
            [limit = rlimit{.rlim_cur = usual, .rlim_max = max}] { setrlimit(RLIMIT_NOFILE, &limit); });
        const QByteArray said = explore(environmentWithoutDisplay(), process);
        QCOMPARE(process.exitCode(), isEnough ? 0 : 1);
        QCOMPARE(said.contains("than 5 files may be open"), !isEnough);
        QCOMPARE(said.contains("ulimit -n"), !isEnough);
    }

    // The system would end the program without a word.
    void saysThatTheStackIsTooSmall_data()
    {
        constexpr rlim_t small = 64 << 10;
        rows<rlim_t, bool>({{"for good", {small, false}}, {"and raises that", {rlim_t{8} << 20U, true}}});
    }
    void saysThatTheStackIsTooSmall()
    {
        const auto [max, isEnough] = row<rlim_t, bool>();
        rlimit here{};
        if (getrlimit(RLIMIT_STACK, &here) != 0 || here.rlim_max < max)
            QSKIP("No stack may be as large here.");
        QProcess process;
        process.setChildProcessModifier(
            [limit = rlimit{.rlim_cur = 64 << 10, .rlim_max = max}] { setrlimit(RLIMIT_STACK, &limit); });
        const QByteArray said = explore(environmentWithoutDisplay(), process);
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), isEnough ? 0 : 1);
        QCOMPARE(said.contains("ulimit -s"), !isEnough);
    }

    // The program would open a window that stands still.
    void opensNoWindowWithoutThreads()
    {
        QProcess process;
        // What a thread's stack is to have, more than any address space.
        process.setChildProcessModifier([] {
            const rlimit limit{.rlim_cur = rlim_t{1} << 60U, .rlim_max = RLIM_INFINITY};
            setrlimit(RLIMIT_STACK, &limit);
        });
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_folder->path());
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(BATCHPEAK_PROGRAM), {examplePath("gpt2-tiny.yaml")});
        QVERIFY(process.waitForFinished(600'000));
        QCOMPARE(process.exitCode(), 1);
        QVERIFY(process.readAllStandardError().contains("ulimit -u"));
    }

    // What cannot be loaded for want of memory is said by this program, as far down as its main is reached.
    void speaksInItsOwnWordsWithoutMemory()
    {
        if (isSanitized)
            QSKIP("A sanitizer needs more address space than this leaves.");
        constexpr rlim_t max = rlim_t{192} << 20U;
        constexpr rlim_t step = rlim_t{1} << 20U;
        bool hasBegun = true;
        for (rlim_t bytes = max; hasBegun && bytes > 0; bytes -= step) {
            QProcess process;
            process.setChildProcessModifier(
                [limit = rlimit{.rlim_cur = bytes, .rlim_max = bytes}] { setrlimit(RLIMIT_AS, &limit); });
            process.setProcessEnvironment(environmentWithoutDisplay());
            process.start(QStringLiteral(BATCHPEAK_PROGRAM), {QStringLiteral("history")});
            QVERIFY(process.waitForFinished(600'000));
            hasBegun = process.exitStatus() == QProcess::NormalExit && process.exitCode() < 100;
            const QByteArray said = process.readAllStandardError();
            QVERIFY2(!hasBegun || said.isEmpty() || said.startsWith("batchpeak: "), said.constData());
        }
    }

private:
    QString here() const { return m_folder->filePath(QStringLiteral("here")); }

    /// In the folder where somebody works.
    /// \return what is said on stderr
    QByteArray explore(const QProcessEnvironment& environment) const
    {
        QProcess process;
        return explore(environment, process);
    }
    QByteArray explore(const QProcessEnvironment& environment, QProcess& process) const
    {
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(here());
        process.start(QStringLiteral(BATCHPEAK_PROGRAM), exploreArguments("", words("--max-trials 2")));
        process.closeWriteChannel();
        if (!process.waitForFinished(600'000))
            process.kill();
        return process.readAllStandardError();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(SurroundingsTest)
#include "tst_surroundings.moc"

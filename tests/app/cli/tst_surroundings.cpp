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
    /// Whether the program reports that something is wrong with the variable.
    bool isReported;
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

    // A history in the working folder would not be found from other folders.
    void writesNothingIntoTheWorkingFolder_data()
    {
        rows<Variable>({{"a relative folder of data", {"XDG_DATA_HOME", "data", true}},
                        {"one of the folder itself", {"XDG_DATA_HOME", "./data", true}},
                        {"a relative cache", {"XDG_CACHE_HOME", "cache", true}},
                        {"a relative folder of settings", {"XDG_CONFIG_HOME", "config", true}},
                        {"an empty one", {"XDG_DATA_HOME", "", false}}});
    }
    void writesNothingIntoTheWorkingFolder()
    {
        const Variable& variable = row<Variable>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.remove(QStringLiteral("XDG_DATA_HOME"));
        environment.insert(QStringLiteral("HOME"), m_folder->path());
        environment.insert(QString::fromUtf8(variable.name), QString::fromUtf8(variable.value));
        const QByteArray said = explore(environment);
        QCOMPARE(said.contains(QByteArray(variable.name) + " is '" + variable.value), variable.isReported);
        QVERIFY(QDir(here()).isEmpty());
        QVERIFY(
            QFile::exists(m_folder->filePath(QStringLiteral(".local/share/batchpeak/explorations.sqlite"))));
    }

    // The program then uses the home folder of the user database. XDG_DATA_HOME is set, since a test must not
    // write there.
    void ignoresARelativeHome_data()
    {
        rows<Variable>({{"a name", {"HOME", "me", true}}, {"none", {"HOME", "", false}}});
    }
    void ignoresARelativeHome()
    {
        const Variable& variable = row<Variable>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QString::fromUtf8(variable.name), QString::fromUtf8(variable.value));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder->filePath(QStringLiteral("data")));
        QCOMPARE(explore(environment).contains("HOME is 'me'"), variable.isReported);
        QVERIFY(QDir(here()).isEmpty());
    }

    void reportsATooLowLimitOfOpenFiles_data()
    {
        rows<rlim_t, rlim_t, bool>({{"hard limit too low", {5, 5, false}},
                                    {"soft limit is raised", {5, 4096, true}},
                                    {"limit is high enough", {64, 64, true}}});
    }
    void reportsATooLowLimitOfOpenFiles()
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

    // Otherwise the system would end the program without a message.
    void reportsATooSmallStack_data()
    {
        constexpr rlim_t small = 64 << 10;
        rows<rlim_t, bool>(
            {{"hard limit too low", {small, false}}, {"soft limit is raised", {rlim_t{8} << 20U, true}}});
    }
    void reportsATooSmallStack()
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

    // Without threads, the window would freeze.
    void opensNoWindowWithoutThreads()
    {
        QProcess process;
        // This is the stack size of each thread; it exceeds any address space, so no thread can start.
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

    // The program itself reports that it cannot load something without more memory, at every limit at which
    // main() is reached.
    void reportsALackOfMemoryItself()
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

    /// Explores in the working folder.
    /// \return output on stderr
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

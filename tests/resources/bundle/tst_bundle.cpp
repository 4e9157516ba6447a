// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace {

struct Ended
{
    int code = -1;
    QString output;
    QString errors;
};

const QString bundle = QStringLiteral(BATCHPEAK_BUNDLE);
const QString startScript = bundle + QStringLiteral("/batchpeak");
const QString workerScript = bundle + QStringLiteral("/libexec/batchpeak/batchpeak-worker");
const QString example = bundle + QStringLiteral("/share/doc/Batchpeak/examples/gpt2-tiny.yaml");
const QString torchRoot = QStringLiteral(BATCHPEAK_TORCH_ROOT);

void write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    file.write(text);
}

void writeProgram(const QString& path, const QByteArray& text)
{
    write(path, text);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

/// A folder that looks like a torch package as far as its version can be read.
void writeTorch(const QString& folder, const QString& versionFile, const QByteArray& text)
{
    write(folder + QStringLiteral("/lib/libtorch_cpu.so"), {});
    write(folder + QLatin1Char('/') + versionFile, text);
}

} // namespace

/// The portable bundle that make-bundle.sh made of this build: that it starts from anywhere, which torch its
/// worker takes and which it refuses, and that its libraries are all there.
class BundleTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_variables.clear();
        // All that the start scripts may ask of a system, and no python3 among it.
        m_path = path(QStringLiteral("tools"));
        QDir().mkpath(m_path);
        for (const char* tool : {"dirname", "getconf", "grep", "readlink", "sed", "sort", "tail", "tr"}) {
            const QString name = QString::fromLatin1(tool);
            QVERIFY2(QFile::link(QStandardPaths::findExecutable(name), m_path + QLatin1Char('/') + name),
                     tool);
        }
    }

    void startsFromAnywhere_data()
    {
        QTest::addColumn<QStringList>("links");
        QTest::newRow("by its path") << QStringList();
        QTest::newRow("through a link") << QStringList{startScript};
        QTest::newRow("through a link to a link") << QStringList{startScript, QStringLiteral("link0")};
    }
    void startsFromAnywhere()
    {
        QFETCH(QStringList, links);
        QString program = startScript;
        for (qsizetype i = 0; i < links.size(); ++i) {
            program = path(QStringLiteral("link%1").arg(i));
            QVERIFY(QFile::link(links.at(i), program));
        }
        const Ended ended = run(program, {QStringLiteral("--version")});
        QCOMPARE(ended.errors, QString());
        QCOMPARE(ended.output, QStringLiteral("batchpeak " BATCHPEAK_VERSION "\n"));
    }

    void passesArgumentsOn()
    {
        const QString config = path(QStringLiteral("it's \"one\" of  $HOME.yaml"));
        QVERIFY(QFile::copy(example, config));
        const Ended ended = run(startScript, {QStringLiteral("inspect"), config});
        QCOMPARE(ended.errors, QString());
        QVERIFY2(ended.output.contains(config), qPrintable(ended.output));
        QCOMPARE(ended.code, 0);
    }

    void needsTorchForTrialsAlone_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("inspect") << QStringList{QStringLiteral("inspect"), example} << 0;
        QTest::newRow("devices") << QStringList{QStringLiteral("devices")} << 0;
        QTest::newRow("history") << QStringList{QStringLiteral("history")} << 0;
        QTest::newRow("explore") << QStringList{QStringLiteral("explore"), example,
                                                QStringLiteral("--device"), QStringLiteral("cpu")}
                                 << 3;
    }
    void needsTorchForTrialsAlone()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        const Ended ended = run(startScript, arguments);
        QCOMPARE(ended.code, code);
        QCOMPARE(ended.errors.contains(QStringLiteral("Trials need torch")), code != 0);
    }

    void opensItsWindow()
    {
        m_variables = {QStringLiteral("QT_QPA_PLATFORM=offscreen"),
                       QStringLiteral("BATCHPEAK_TRACE_STARTUP=1")};
        QProcess window;
        prepare(window);
        window.setReadChannel(QProcess::StandardError);
        window.start(startScript, {example});
        QByteArray errors;
        while (!errors.contains("first paint") && window.waitForReadyRead())
            errors += window.readAllStandardError();
        QVERIFY2(errors.contains("first paint"), errors.constData());
        // The script has become the program, so this is what the window and its plugins mapped.
        QFile maps(QStringLiteral("/proc/%1/maps").arg(window.processId()));
        QVERIFY(maps.open(QIODevice::ReadOnly));
        const QByteArray folder = QDir(bundle).canonicalPath().toLocal8Bit();
        for (const QByteArray& line : maps.readAll().split('\n'))
            QVERIFY2(!line.toLower().contains("libq") || line.contains(folder), line.constData());
        window.kill();
        window.waitForFinished();
    }

    void findsTorchByItsFolder()
    {
        m_variables = {QStringLiteral("TORCH_DIR=") + torchRoot};
        expectWorkerStarts();
    }

    void findsTorchByPython()
    {
        bringPython();
        m_variables = {QStringLiteral("PYTHONPATH=") + QFileInfo(torchRoot).path()};
        expectWorkerStarts();
    }

    void takesNoTorchOfTheCurrentFolder()
    {
        bringPython();
        write(path(QStringLiteral("torch/__init__.py")), {});
        const Ended ended = run(workerScript, {QStringLiteral("--version")});
        QVERIFY2(!ended.output.contains(path(QStringLiteral("torch"))), qPrintable(ended.output));
    }

    void refusesTheTorchOfTheFolder_data()
    {
        const QString header = QStringLiteral("include/torch/headeronly/version.h");
        const QString module = QStringLiteral("version.py");
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("versionFile");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("words");
        QTest::newRow("older, by its header")
            << QStringLiteral("torch") << header << QByteArray("#define TORCH_VERSION \\\n  \"2.10.0\"\n")
            << QStringLiteral("which is version 2.10.0;");
        QTest::newRow("newer, by its module")
            << QStringLiteral("torch") << module << QByteArray("__version__ = '2.12.1+cpu'\n")
            << QStringLiteral("which is version 2.12.1;");
        QTest::newRow("without a version")
            << QStringLiteral("torch") << module << QByteArray("debug = False\n")
            << QStringLiteral("which is version unknown;");
        QTest::newRow("in a folder that JSON must escape")
            << QStringLiteral("a \"torch\" \\ of mine") << module << QByteArray("__version__ = '2.9.0'\n")
            << QStringLiteral("which is version 2.9.0;");
        QTest::newRow("without libraries") << QStringLiteral("torch") << QString() << QByteArray()
                                           << QStringLiteral("which holds no lib/libtorch_cpu.so.");
    }
    void refusesTheTorchOfTheFolder()
    {
        QFETCH(QString, folder);
        QFETCH(QString, versionFile);
        QFETCH(QByteArray, text);
        QFETCH(QString, words);
        if (!versionFile.isEmpty())
            writeTorch(path(folder), versionFile, text);
        m_variables = {QStringLiteral("TORCH_DIR=") + path(folder)};
        expectRefusal(QStringLiteral("and TORCH_DIR is %1, ").arg(path(folder)) + words);
    }

    void refusesTheTorchOfPython_data()
    {
        QTest::addColumn<QByteArray>("python");
        QTest::addColumn<QString>("words");
        QTest::newRow("another version") << QByteArray("echo Welcome; echo $HOME/torch")
                                         << QStringLiteral("/torch, which is version 2.9.0;");
        QTest::newRow("no torch") << QByteArray("echo") << QStringLiteral("/tools/python3 has no torch.");
        QTest::newRow("it fails") << QByteArray("exit 1")
                                  << QStringLiteral("/tools/python3 failed when it was asked");
        QTest::newRow("no python3") << QByteArray()
                                    << QStringLiteral(
                                           "TORCH_DIR is not set, and there is no python3 to ask.");
    }
    void refusesTheTorchOfPython()
    {
        QFETCH(QByteArray, python);
        QFETCH(QString, words);
        writeTorch(path(QStringLiteral("torch")), QStringLiteral("version.py"), "__version__ = '2.9.0'\n");
        if (!python.isEmpty())
            writeProgram(m_path + QStringLiteral("/python3"), "#!/bin/sh\n" + python + '\n');
        expectRefusal(words);
    }

    void saysWhyTheSystemDoesNotDo_data()
    {
        QTest::addColumn<QString>("lost");
        QTest::addColumn<QString>("words");
        QTest::newRow("old glibc") << QStringLiteral("bin/batchpeak: /lib/libc.so.6: version `GLIBC_2.34' "
                                                     "not found (required by bin/batchpeak)")
                                   << QStringLiteral("these programs need glibc 2.");
        QTest::newRow("no glibc") << QStringLiteral("sh: bin/batchpeak: not found")
                                  << QStringLiteral("these programs need glibc 2.");
        QTest::newRow("missing library") << QStringLiteral("\tlibcupti.so.13 => not found")
                                         << QStringLiteral("or too old: libcupti.so.13. Ask");
        QTest::newRow("old library")
            << QStringLiteral(
                   "bin/batchpeak: /lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by x)")
            << QStringLiteral("or too old: libstdc++.so.6. Ask");
    }
    void saysWhyTheSystemDoesNotDo()
    {
        QFETCH(QString, lost);
        QFETCH(QString, words);
        const QString loader = bundle + QStringLiteral("/libexec/batchpeak/loader.sh");
        const Ended ended =
            run(QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), QStringLiteral(". \"$0\"; why_not_loaded \"$1\""), loader, lost});
        QVERIFY2(ended.output.contains(words), qPrintable(ended.output));
    }

    void bringsItsLibraries()
    {
        m_variables = {QStringLiteral("LD_TRACE_LOADED_OBJECTS=1")};
        const Ended ended = run(bundle + QStringLiteral("/bin/batchpeak"), {});
        const QString folder = QDir(bundle).canonicalPath();
        for (const QString& library : {QStringLiteral("libQt6Core.so.6"), QStringLiteral("libyaml-0.so"),
                                       QStringLiteral("libEGL.so.1"), QStringLiteral("libxcb.so.1")}) {
            const qsizetype line = ended.output.indexOf(library);
            QVERIFY2(line >= 0, qPrintable(library));
            const QString found =
                ended.output.mid(line, ended.output.indexOf(QLatin1Char('\n'), line) - line);
            const QString from = found.section(QStringLiteral(" => "), 1).section(QStringLiteral(" ("), 0, 0);
            QVERIFY2(QFileInfo(from).canonicalFilePath().startsWith(folder), qPrintable(found));
        }
    }

    void namesTheOriginOfEveryLibrary()
    {
        QFile file(bundle + QStringLiteral("/licenses/LIBRARIES.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray table = file.readAll();
        QDirIterator libraries(bundle + QStringLiteral("/lib"), {QStringLiteral("*.so*")}, QDir::Files,
                               QDirIterator::Subdirectories);
        QVERIFY(libraries.hasNext());
        while (libraries.hasNext()) {
            const QByteArray name = QFileInfo(libraries.next()).fileName().toLatin1();
            QVERIFY2(table.contains('\n' + name + ' '), name.constData());
        }
    }

    void isNoBundle_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("words");
        QTest::newRow("as it is") << QStringLiteral("true") << QString();
        QTest::newRow("a library is missing") << QStringLiteral("rm lib/batchpeak/libyaml-0.so.*")
                                              << QStringLiteral("bin/batchpeak needs libyaml-0.so.");
        QTest::newRow("a library of torch")
            << QStringLiteral("cp lib/batchpeak/libz.so.1 lib/batchpeak/libtorch_cpu.so")
            << QStringLiteral("is a library of torch");
        QTest::newRow("another program needs torch")
            << QStringLiteral("cp lib/batchpeak/batchpeak-worker bin/other")
            << QStringLiteral("only the worker may need torch");
        QTest::newRow("a folder of this computer")
            << QStringLiteral("cp --remove-destination '" BATCHPEAK_WORKER_PROGRAM
                              "' lib/batchpeak/batchpeak-worker && "
                              "strip lib/batchpeak/batchpeak-worker")
            << QStringLiteral("looks for libraries in " BATCHPEAK_TORCH_ROOT "/lib,");
        QTest::newRow("too large") << QStringLiteral("truncate --size 60M share/large")
                                   << QStringLiteral("more than the 62914560 that it may have");
    }
    void isNoBundle()
    {
        QFETCH(QString, command);
        QFETCH(QString, words);
        m_path = qEnvironmentVariable("PATH");
        // Hard links, beside the bundle, since they cost nothing.
        const QTemporaryDir beside(bundle + QStringLiteral("-XXXXXX"));
        const QString copy = beside.filePath(QStringLiteral("copy"));
        QCOMPARE(run(QStringLiteral("cp"), {QStringLiteral("-al"), bundle, copy}).code, 0);
        const Ended changed = run(QStringLiteral("/bin/sh"),
                                  {QStringLiteral("-c"), QStringLiteral("cd \"$0\" && ") + command, copy});
        QVERIFY2(changed.code == 0, qPrintable(changed.errors));
        const Ended ended = run(QStringLiteral(BATCHPEAK_SOURCE_DIR "/scripts/check-bundle.sh"), {copy});
        QVERIFY2(ended.errors.contains(words), qPrintable(ended.errors));
        QCOMPARE(ended.code, words.isEmpty() ? 0 : 1);
    }

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }

    /// Of a python3 that may be a shim the real one, which needs nothing of the system.
    void bringPython() const
    {
        QProcess python;
        python.start(QStringLiteral("python3"),
                     {QStringLiteral("-c"), QStringLiteral("import sys; print(sys.executable)")});
        if (!python.waitForStarted())
            QSKIP("python3 is not here");
        QVERIFY(python.waitForFinished());
        writeProgram(m_path + QStringLiteral("/python3"),
                     "#!/bin/sh\nexec '" + python.readAllStandardOutput().trimmed() + "' \"$@\"\n");
    }

    /// In the temporary folder, with nothing in the environment but what is named here and by the test.
    void prepare(QProcess& process) const
    {
        const QString home = m_folder->path();
        process.setEnvironment(QStringList{QStringLiteral("PATH=") + m_path, QStringLiteral("HOME=") + home,
                                           QStringLiteral("LC_ALL=C.UTF-8")} +
                               m_variables);
        process.setWorkingDirectory(home);
    }

    Ended run(const QString& program, const QStringList& arguments) const
    {
        QProcess process;
        prepare(process);
        process.start(program, arguments);
        process.waitForFinished(120'000);
        return {.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                .output = QString::fromLocal8Bit(process.readAllStandardOutput()),
                .errors = QString::fromLocal8Bit(process.readAllStandardError())};
    }

    /// \param words  some of the sentence, which is an error of the trial protocol
    void expectRefusal(const QString& words) const
    {
        const Ended ended = run(workerScript, {});
        QCOMPARE(ended.code, 1);
        const QJsonObject error = QJsonDocument::fromJson(ended.output.toUtf8()).object();
        QCOMPARE(error.value(QStringLiteral("type")).toString(), QStringLiteral("error"));
        QVERIFY(error.value(QStringLiteral("fatal")).toBool());
        const QString sentence = error.value(QStringLiteral("text")).toString();
        QVERIFY2(sentence.contains(words), qPrintable(sentence));
        QVERIFY2(sentence.contains(QStringLiteral("Set TORCH_DIR")), qPrintable(sentence));
    }

    void expectWorkerStarts() const
    {
        const Ended ended = run(workerScript, {QStringLiteral("--version")});
        QCOMPARE(ended.errors, QString());
        QCOMPARE(ended.output, QStringLiteral("batchpeak-worker " BATCHPEAK_VERSION "\n"));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    QStringList m_variables;
};

BATCHPEAK_TEST(BundleTest)
#include "tst_bundle.moc"

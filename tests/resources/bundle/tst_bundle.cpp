// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
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

/// Creates a folder that looks like a torch package to code that reads only the version.
void writeTorch(const QString& folder, const QString& versionFile, const QByteArray& text)
{
    write(folder + QStringLiteral("/lib/libtorch_cpu.so"), {});
    write(folder + QLatin1Char('/') + versionFile, text);
}

struct OtherTorch
{
    const char* folder = "torch";
    /// File with the version, relative to the folder; empty if there is no package.
    QString versionFile;
    QByteArray text;
    /// Text of the error after the path of the folder.
    const char* words;
};

} // namespace

/// Tests the portable bundle that make-bundle.sh built from this build: that it starts from any folder, which
/// torch its worker accepts and refuses, and that its libraries are complete.
class BundleTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_variables.clear();
        // The PATH has only the tools that the start scripts may use, and no python3.
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
        rows<QStringList>({{"by its path", {}},
                           {"through a link", {startScript}},
                           {"through a link to a link", {startScript, QStringLiteral("link0")}}});
    }
    void startsFromAnywhere()
    {
        const auto& links = row<QStringList>();
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

    void needsTorchOnlyForTrials_data()
    {
        rows<QStringList, int>(
            {{"inspect", {{QStringLiteral("inspect"), example}, 0}},
             {"devices", {{QStringLiteral("devices")}, 0}},
             {"history", {{QStringLiteral("history")}, 0}},
             {"explore",
              {{QStringLiteral("explore"), example, QStringLiteral("--device"), QStringLiteral("cpu")}, 3}}});
    }
    void needsTorchOnlyForTrials()
    {
        const auto& [arguments, code] = row<QStringList, int>();
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
        // The script has replaced itself with the program, so these are the files that the window and its
        // plugins have mapped.
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
        addPython();
        m_variables = {QStringLiteral("PYTHONPATH=") + QFileInfo(torchRoot).path()};
        expectWorkerStarts();
    }

    void ignoresTorchInTheWorkingFolder()
    {
        addPython();
        write(path(QStringLiteral("torch/__init__.py")), {});
        const Ended ended = run(workerScript, {QStringLiteral("--version")});
        QVERIFY2(!ended.output.contains(path(QStringLiteral("torch"))), qPrintable(ended.output));
    }

    void refusesTheTorchOfTheFolder_data()
    {
        const QString header = QStringLiteral("include/torch/headeronly/version.h");
        const QString module = QStringLiteral("version.py");
        rows<OtherTorch>(
            {{"older, by its header",
              {.versionFile = header,
               .text = "#define TORCH_VERSION \\\n  \"2.10.0\"\n",
               .words = "which is version 2.10.0;"}},
             {"newer, by its module",
              {.versionFile = module,
               .text = "__version__ = '2.12.1+cpu'\n",
               .words = "which is version 2.12.1;"}},
             {"without a version",
              {.versionFile = module, .text = "debug = False\n", .words = "which is version unknown;"}},
             {"in a folder that JSON must escape",
              {.folder = "a \"torch\" \\ of mine",
               .versionFile = module,
               .text = "__version__ = '2.9.0'\n",
               .words = "which is version 2.9.0;"}},
             {"without libraries", {.words = "which holds no lib/libtorch_cpu.so."}}});
    }
    void refusesTheTorchOfTheFolder()
    {
        const auto& [name, versionFile, text, words] = row<OtherTorch>();
        const QString folder = path(QString::fromUtf8(name));
        if (!versionFile.isEmpty())
            writeTorch(folder, versionFile, text);
        m_variables = {QStringLiteral("TORCH_DIR=") + folder};
        expectRefusal(QStringLiteral("and TORCH_DIR is %1, ").arg(folder) + QString::fromUtf8(words));
    }

    void refusesTheTorchOfPython_data()
    {
        rows<QByteArray, const char*>(
            {{"another version", {"echo Welcome; echo $HOME/torch", "/torch, which is version 2.9.0;"}},
             {"no torch", {"echo", "/tools/python3 has no torch."}},
             {"it fails", {"exit 1", "/tools/python3 failed when it was asked"}},
             {"no python3", {"", "TORCH_DIR is not set, and there is no python3 to ask."}}});
    }
    void refusesTheTorchOfPython()
    {
        const auto& [python, words] = row<QByteArray, const char*>();
        writeTorch(path(QStringLiteral("torch")), QStringLiteral("version.py"), "__version__ = '2.9.0'\n");
        if (!python.isEmpty())
            writeProgram(m_path + QStringLiteral("/python3"), "#!/bin/sh\n" + python + '\n');
        expectRefusal(QString::fromUtf8(words));
    }

    void explainsAnUnsuitableSystem_data()
    {
        rows<const char*, const char*>(
            {{"old glibc",
              {"bin/batchpeak: /lib/libc.so.6: version `GLIBC_2.34' not found (required by bin/batchpeak)",
               "these programs need glibc 2."}},
             {"no glibc", {"sh: bin/batchpeak: not found", "these programs need glibc 2."}},
             {"missing library", {"\tlibcupti.so.13 => not found", "or too old: libcupti.so.13. Ask"}},
             {"old library",
              {"bin/batchpeak: /lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by x)",
               "or too old: libstdc++.so.6. Ask"}}});
    }
    void explainsAnUnsuitableSystem()
    {
        const auto& [lost, words] = row<const char*, const char*>();
        const QString loader = bundle + QStringLiteral("/libexec/batchpeak/loader.sh");
        const Ended ended = run(QStringLiteral("/bin/sh"),
                                {QStringLiteral("-c"), QStringLiteral(". \"$0\"; why_not_loaded \"$1\""),
                                 loader, QString::fromUtf8(lost)});
        QVERIFY2(ended.output.contains(QLatin1String(words)), qPrintable(ended.output));
    }

    void loadsItsOwnLibraries()
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

    void detectsABrokenBundle_data()
    {
        rows<const char*, const char*>(
            {{"as it is", {"true", ""}},
             {"a library is missing",
              {"rm lib/batchpeak/libyaml-0.so.*", "bin/batchpeak needs libyaml-0.so."}},
             {"a library of torch",
              {"cp lib/batchpeak/libz.so.1 lib/batchpeak/libtorch_cpu.so", "is a library of torch"}},
             {"another program needs torch",
              {"cp lib/batchpeak/batchpeak-worker bin/other", "only the worker may need torch"}},
             {"a folder of this computer",
              {"cp --remove-destination '" BATCHPEAK_WORKER_PROGRAM "' lib/batchpeak/batchpeak-worker && "
               "strip lib/batchpeak/batchpeak-worker",
               "looks for libraries in " BATCHPEAK_TORCH_ROOT "/lib,"}},
             {"too large", {"truncate --size 60M share/large", "more than the 67108864 that it may have"}}});
    }
    void detectsABrokenBundle()
    {
        const auto& [command, words] = row<const char*, const char*>();
        m_path = qEnvironmentVariable("PATH");
        // Hard links cost nothing, but need the file system of the bundle.
        const QTemporaryDir neighbor(bundle + QStringLiteral("-XXXXXX"));
        const QString copy = neighbor.filePath(QStringLiteral("copy"));
        QCOMPARE(run(QStringLiteral("cp"), {QStringLiteral("-al"), bundle, copy}).code, 0);
        const QString change = QStringLiteral("cd \"$0\" && ") + QString::fromUtf8(command);
        const Ended changed = run(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), change, copy});
        QVERIFY2(changed.code == 0, qPrintable(changed.errors));
        const Ended ended = run(QStringLiteral(BATCHPEAK_SOURCE_DIR "/scripts/check-bundle.sh"), {copy});
        QVERIFY2(ended.errors.contains(QLatin1String(words)), qPrintable(ended.errors));
        QCOMPARE(ended.code, *words == '\0' ? 0 : 1);
    }

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }

    /// Adds a python3 to the PATH. It runs the real interpreter, since python3 may be a shim that needs
    /// further tools.
    void addPython() const
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

    /// Sets the temporary folder as the working folder, and an environment of only these variables and those
    /// of the test.
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

    /// \param words  part of the expected sentence, which is an error of the trial protocol
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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/trusted_code.h"
#include "support/error_of.h"
#include "support/fake_parts.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/run_devices.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

#include <functional>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::engine;

class TrustedCodeTest : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    /// Returns code that only this run of the test uses.
    QByteArray code() const { return "# " + m_folder->path().toUtf8() + "\n"; }

    QString path(const QString& name) const { return m_folder->filePath(name); }

    QString fileWith(const QString& name, const QByteArray& bytes) const
    {
        QDir().mkpath(QFileInfo(path(name)).path());
        test::writeFile(path(name), bytes);
        return path(name);
    }

    static bool isTrustedAt(const QString& path) { return isTrusted(CodeContent::of(path)); }

    /// Returns the bytes that this process has read from files or from the page cache.
    static qint64 bytesRead()
    {
        const QByteArray counts = test::readFile(QStringLiteral("/proc/self/io"));
        return counts.startsWith("rchar: ") ? counts.mid(7, counts.indexOf('\n') - 7).toLongLong() : 0;
    }

    /// Returns the error for code that may not run; empty if it may.
    static QString refusal(const QString& path, bool trusts = false)
    {
        try {
            requireTrust(path, trusts);
            return {};
        } catch (const ExplorationError& error) {
            return error.sentence();
        }
    }

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void asksOnceForEachContent()
    {
        const QString grow = fileWith(QStringLiteral("grow.py"), code());
        QVERIFY(!isTrustedAt(grow));
        try {
            requireTrust(grow, false);
            QFAIL("It was let run.");
        } catch (const UntrustedCode& error) {
            QCOMPARE(error.path(), grow);
            QVERIFY(error.sentence().contains(grow) &&
                    error.sentence().endsWith(QStringLiteral("add --trust.")));
        }
        requireTrust(grow, true);
        requireTrust(grow, false);
        // A copy is the same code; another content is not.
        QVERIFY(isTrustedAt(fileWith(QStringLiteral("other/copy.py"), code())));
        fileWith(QStringLiteral("grow.py"), code() + "import os\n");
        QVERIFY(!isTrustedAt(grow));
    }

    void includesAllModulesThatAFileCanImport_data()
    {
        const auto add = rows<Text, bool>();
        add("a module next to it", {"helper.py", true});
        add("one with a name of Python's", {"json.py", true});
        add("a package next to it", {"steps/__init__.py", true});
        add("a module in a package", {"known/part.py", true});
        add("a package in a package", {"known/inner/__init__.py", true});
        add("no Python", {"data.txt", false});
        add("in a folder that is no package", {"data/helper.py", false});
        add("a compiled module in the cache", {"__pycache__/known.cpython-311.pyc", false});
        add("a compiled module", {"helper.pyc", false});
        add("in a hidden folder", {".git/__init__.py", false});
    }
    void includesAllModulesThatAFileCanImport()
    {
        const auto& [name, isAsked] = row<Text, bool>();
        const QString grow = fileWith(QStringLiteral("grow.py"), code());
        fileWith(QStringLiteral("known/__init__.py"), {});
        const CodeContent before = requireTrust(grow, true);
        QVERIFY(before.problem().isEmpty());
        fileWith(name, "evil = 1\n");
        QCOMPARE(isTrustedAt(grow), !isAsked);
        QCOMPARE(before.problem().isEmpty(), !isAsked);
        // Trust in one content does not apply to another content of the same file.
        trustCode(CodeContent::of(grow));
        fileWith(name, "evil = 2\n");
        QCOMPARE(isTrustedAt(grow), !isAsked);
    }

    void includesWhichFileRuns()
    {
        const QString grow = fileWith(QStringLiteral("grow.py"), code());
        const QString neighbor = fileWith(QStringLiteral("beside.py"), code() + "import os\n");
        requireTrust(grow, true);
        QVERIFY(isTrustedAt(grow));
        QVERIFY(!isTrustedAt(neighbor));
    }

    void appliesAnAnswerToOneContent()
    {
        const QString grow = fileWith(QStringLiteral("grow.py"), code());
        requireTrust(grow, true);
        // This may happen before the second phase of an exploration: --trust applied to the earlier content.
        fileWith(QStringLiteral("grow.py"), code() + "import os\n");
        VERIFY_CONTAINS(refusal(grow, true), "nobody has said");
        // A user who is asked about the new content trusts it.
        trustCode(CodeContent::of(grow));
        QCOMPARE(refusal(grow), QString());
    }

    void reportsChangedCode()
    {
        const QString module = fileWith(QStringLiteral("net.pt"), code());
        const CodeContent trusted = requireTrust(module, true);
        QCOMPARE(trusted.problem(), QString());
        fileWith(QStringLiteral("net.pt"), code() + "1");
        VERIFY_CONTAINS(trusted.problem(), "net.pt is not what was let run any more");
        QFile::remove(module);
        VERIFY_CONTAINS(trusted.problem(), "net.pt is not what was let run any more");
        QCOMPARE(CodeContent().problem(), QString());
    }

    void detectsAChangeWithAnOldTimeStamp()
    {
        const QString module = fileWith(QStringLiteral("net.pt"), code() + "1");
        const struct timespec longAgo[] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0},
                                           {.tv_sec = 1'000'000'000, .tv_nsec = 0}};
        const QByteArray name = QFile::encodeName(module);
        QCOMPARE(::utimensat(AT_FDCWD, name.constData(), longAgo, 0), 0);
        requireTrust(module, true);
        QFile file(module);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() - 1) && file.write("2") == 1);
        file.close();
        QCOMPARE(::utimensat(AT_FDCWD, name.constData(), longAgo, 0), 0);
        QVERIFY(!isTrustedAt(module));
    }

    void asksEachTimeForCodeElsewhere()
    {
        const QString module = path(QStringLiteral("far/net.pt"));
        const QString said = refusal(module);
        VERIFY_CONTAINS(said, "is not on this computer");
        VERIFY_CONTAINS(said, "add --trust each time");
        const CodeContent trusted = requireTrust(module, true);
        QVERIFY(!trusted.isThere() && trusted.problem().isEmpty());
        VERIFY_CONTAINS(refusal(module), "is not on this computer");
        // Code that appears there later was never trusted.
        fileWith(QStringLiteral("far/net.pt"), code());
        QVERIFY(!trusted.problem().isEmpty());
        VERIFY_CONTAINS(refusal(module, true), "nobody has said");
    }

    void requiresTrustForCodeOfALauncher()
    {
        const trial::LoadRequest load{
            .model = {.family = "torchscript",
                      .architecture = model::ScriptSpec{.file = "/no/such/far-net.pt"}}};
        ExplorationOptions options{.workerCommand = QStringLiteral("worker"),
                                   .places = {QStringLiteral("ssh host")}};
        QVERIFY_THROWS_EXCEPTION(UntrustedCode, RunDevices(load, options, test::fakeParts()));
        options.trustsCode = true;
        QCOMPARE(RunDevices(load, options, test::fakeParts()).setups().front().code.path(),
                 QStringLiteral("/no/such/far-net.pt"));
        options.trustsCode = false;
        QVERIFY_THROWS_EXCEPTION(UntrustedCode, RunDevices(load, options, test::fakeParts()));
    }

    void readsOnlyRegularFiles_data()
    {
        using Make = std::function<QString(const TrustedCodeTest&)>;
        const auto add = rows<Make, Text>();
        add("a device without an end", {[](const TrustedCodeTest&) { return QStringLiteral("/dev/zero"); },
                                        "/dev/zero, but it is no regular"});
        add("a link to one", {[](const TrustedCodeTest& test) {
                                  QFile::link(QStringLiteral("/dev/zero"),
                                              test.path(QStringLiteral("net.pt")));
                                  return test.path(QStringLiteral("net.pt"));
                              },
                              "net.pt, but it is no regular file"});
        add("a pipe", {[](const TrustedCodeTest& test) {
                           const QString path = test.path(QStringLiteral("net.pt"));
                           return ::mkfifo(QFile::encodeName(path).constData(), 0600) == 0 ? path : QString();
                       },
                       "net.pt, but it is no regular file"});
        add("a folder",
            {[](const TrustedCodeTest& test) { return test.m_folder->path(); }, "no regular file"});
        add("more than its size", {[](const TrustedCodeTest&) { return QStringLiteral("/proc/self/maps"); },
                                   "/proc/self/maps, but it changes while it is read"});
        add("out of range", {[](const TrustedCodeTest& test) {
                                 QFile file(test.fileWith(QStringLiteral("net.pt"), {}));
                                 return file.resize(qint64{1} << 40) ? file.fileName() : QString();
                             },
                             "larger than 64 GiB"});
    }
    void readsOnlyRegularFiles()
    {
        using Make = std::function<QString(const TrustedCodeTest&)>;
        const auto& [make, said] = row<Make, Text>();
        const QString file = make(*this);
        QVERIFY(!file.isEmpty());
        VERIFY_CONTAINS(refusal(file), said);
        VERIFY_CONTAINS(refusal(file, true), said);
    }

    void readsUnchangedCodeOnce()
    {
        // A file must be older than the resolution of time stamps to count as unchanged.
        const QString module = QStandardPaths::findExecutable(QStringLiteral("sh"));
        const QByteArray hash = CodeContent::of(module).hash();
        const qint64 before = bytesRead();
        if (before == 0)
            QSKIP("The kernel does not tell here how much was read");
        QCOMPARE(CodeContent::of(module).hash(), hash);
        QVERIFY(bytesRead() - before < QFileInfo(module).size() / 2);
    }

    void refusesAFolderWithTooManyFiles()
    {
        const QString grow = fileWith(QStringLiteral("grow.py"), code());
        for (int i = 0; i < 2000; ++i)
            fileWith(QStringLiteral("m%1.py").arg(i), {});
        VERIFY_CONTAINS(refusal(grow, true), "into a folder of its own");
    }

    void requiresNothingWithoutCode()
    {
        requireTrust({}, false);
        QCOMPARE(codeOf({.family = "gpt2", .architecture = model::DecoderSpec()}), QString());
        QCOMPARE(codeOf({.family = "torchscript", .architecture = model::ScriptSpec{.file = "/a.pt"}}),
                 QStringLiteral("/a.pt"));
    }
};

BATCHPEAK_TEST(TrustedCodeTest)
#include "tst_trusted_code.moc"

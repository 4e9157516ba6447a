// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/fake_parts.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/growth/growth_function.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <limits>

using namespace batchpeak;
using namespace std::chrono_literals;
using training::GrowthFunction;

namespace {

/// Timeout that even a busy machine does not reach, unless a test waits for it.
constexpr std::chrono::milliseconds patience = 60s;

/// Returns a batch_increase_function with this body.
QByteArray function(const char* body)
{
    return QByteArray("def batch_increase_function(epoch: int, current_batch_size: int) -> int:\n    ") +
           body + '\n';
}

} // namespace

class PythonGrowthTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty())
            QSKIP("python3 is not here, which runs a batch_increase_function in Python");
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void answers_data()
    {
        const auto add = rows<QByteArray, Text>();
        add("number", {function("return 4"), "4"});
        add("zero", {function("return 0"), "0"});
        add("negative", {function("return -4"), "-4"});
        add("arguments", {function("return epoch * 100 + current_batch_size"), "308"});
        add("arguments are int",
            {function("return int(type(epoch) is int and type(current_batch_size) is int)"), "1"});
        add("largest", {function("return 2**63 - 1"), "9223372036854775807"});
        add("smallest", {function("return -(2**63)"), "-9223372036854775808"});
        add("subclass of int", {"class Samples(int):\n    pass\n\n" + function("return Samples(5)"), "5"});
        add("number of another library",
            {"class Samples:\n    def __index__(self):\n        return 6\n\n" + function("return Samples()"),
             "6"});
        add("callable", {"batch_increase_function = lambda epoch, current_batch_size: 7\n", "7"});
        add("prints", {function("print('{\"increment\": 99}', flush=True); return 4"), "4"});
        add("prints when imported", {"print('hello', flush=True)\n" + function("return 4"), "4"});
        add("writes on descriptor 1", {"import os\nos.write(1, b'{\"increment\": 99}\\n')\n" +
                                           function("os.write(1, b'x\\n'); return 4"),
                                       "4"});
        add("prints much", {function("print('x' * 10_000_000); return 4"), "4"});
        add("complains much",
            {"import sys\n" + function("sys.stderr.write('x' * 10_000_000); return 4"), "4"});
        add("starts a program that prints",
            {"import subprocess\n" + function("subprocess.run(['echo', '{}']); return 4"), "4"});
        add("reads standard input", {"import sys\n" + function("return len(sys.stdin.read())"), "0"});
        add("knows its folder", {"import os\n" + function("return int(os.path.exists('growth.py'))"), "1"});
        add("knows its file",
            {"import os\n" + function("return int(os.path.basename(__file__) == 'growth.py')"), "1"});
        add("is not main",
            {"if __name__ == '__main__':\n    raise SystemExit(1)\n" + function("return 4"), "4"});
        add("dataclass", {"from dataclasses import dataclass\n@dataclass\nclass Rule:\n    by: int = 3\n" +
                              function("return Rule().by"),
                          "3"});
        add("byte order mark", {"\xef\xbb\xbf" + function("return 4"), "4"});
        add("own coding", {"# coding: latin-1\nname = '\xe9'\n" + function("return len(name)"), "1"});
    }
    void answers()
    {
        const auto& [text, answer] = row<QByteArray, Text>();
        const auto growth = make(text);
        QCOMPARE(ask(*growth, 3, 8), answer);
        QCOMPARE(ask(*growth, 3, 8), answer);
    }

    void fails_data()
    {
        const auto add = rows<QByteArray, Text>();
        const QByteArray call = "batch_increase_function(epoch=3, current_batch_size=8) ";
        const auto returned = [&](const char* name, const char* body, const char* what) {
            add(name, {function(body), (call + what).constData()});
        };
        returned("nothing", "pass", "returned NoneType, None; let it return");
        returned("float", "return 2.0", "returned float, 2.0;");
        returned("bool", "return True", "returned bool, True;");
        returned("text", "return '4'", "returned str, '4';");
        returned("list", "return [4]", "returned list, [4];");
        returned("long text", "return 'x' * 10_000_000", "returned str, 'xxx");
        returned("beyond 64 bits", "return 2**63", "returned a number beyond 64 bits;");
        returned("far beyond 64 bits", "return -10**10_000", "returned a number beyond 64 bits;");
        returned("division", "return 1 // 0",
                 "raised ZeroDivisionError: integer division or modulo by zero;");
        returned("bare", "raise ValueError", "raised ValueError; fix it.");
        returned("long", "raise ValueError('x' * 10_000_000)", "raised ValueError: xxx");
        returned("interrupt", "raise KeyboardInterrupt", "raised KeyboardInterrupt;");
        returned("exit", "raise SystemExit(3)", "left Python with exit code 3;");
        add("exit at once",
            {"import os\n" + function("os._exit(5)"),
             "python3 ended with exit code 5 before batch_increase_function(epoch=3, current_batch_size=8) "
             "had"});
        add("abort", {"import os\n" + function("os.abort()"), "python3 was ended by signal 6 (Aborted)"});
        add("kill", {"import os, signal\n" + function("os.kill(os.getpid(), signal.SIGKILL)"),
                     "python3 was ended by signal 9 (Killed)"});
        add("last words", {"import os\n" + function("os.write(2, b'first\\nlast\\n'); os._exit(5)"),
                           "Its last words: last"});
        add("place", {"\n\n" + function("return len(epoch)"), "growth.py:4: "});
        add("place of a helper",
            {"def helper():\n    return 1 // 0\n\n" + function("return helper()"), "growth.py:2: "});
        add("place in a library", {"import json\n" + function("return json.loads('{')"), "growth.py:3: "});
        add("import", {"import no_such_module_anywhere\n", "growth.py:1: "});
        add("import's text", {"import no_such_module_anywhere\n",
                              "raised ModuleNotFoundError: No module named 'no_such_module_anywhere';"});
        add("syntax", {"def f():\n    return (\n", "growth.py:2: "});
        add("syntax's text", {"def f():\n    return (\n", "raised SyntaxError: '(' was never closed;"});
        add("indentation", {"def f():\nreturn\n", "growth.py:2: "});
        add("zero byte", {QByteArray("x = 1\0\n", 7), "null bytes;"});
        add("not UTF-8", {"name = '\xe9'\n", "raised SyntaxError: "});
        add("exit when imported", {"raise SystemExit\n", "growth.py:1: "});
        add("no function",
            {"x = 1\n", "growth.py: there is no function batch_increase_function in it; define"});
        add("empty", {"", "there is no function batch_increase_function in it"});
        add("not callable", {"batch_increase_function = 4\n", "there is no function"});
        add("wrong arguments", {"def batch_increase_function(epoch):\n    return 4\n", "raised TypeError: "});
        add("text that cannot be made",
            {"class Bad(Exception):\n    def __str__(self):\n        raise ValueError\n\n" +
                 function("raise Bad"),
             "raised Bad: ?;"});
    }
    void fails()
    {
        const auto& [text, part] = row<QByteArray, Text>();
        const auto growth = make(text);
        const QString sentence = ask(*growth, 3, 8);
        QVERIFY2(sentence.contains(part), qPrintable(sentence.left(1000)));
        QVERIFY2(sentence.startsWith(m_folder->path()), qPrintable(sentence.left(1000)));
        QVERIFY2(sentence.size() < 1000, "the sentence is too long to be read");
    }

    void terminatesAFunctionThatDoesNotAnswer_data()
    {
        rows<QByteArray>(
            {{"sleeps", "import time\n" + function("time.sleep(1000)")},
             {"loops", function("while True: pass")},
             {"sleeps when imported", "import time\ntime.sleep(1000)\n"},
             {"ignores SIGTERM", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" +
                                     function("time.sleep(1000)")},
             {"prints for ever", function("while True: print('x' * 1000)")},
             {"stops itself", "import os, signal\n" + function("os.kill(os.getpid(), signal.SIGSTOP)")}});
    }
    void terminatesAFunctionThatDoesNotAnswer()
    {
        const auto& text = row<QByteArray>();
        const auto growth = make(text, 300ms);
        const QString sentence = ask(*growth, 3, 8);
        VERIFY_CONTAINS(sentence, "did not answer within 0.3 s and was ended");
    }

    void restartsAfterAFailure()
    {
        const auto growth = make("import os\nopen('pids', 'a').write(f'{os.getpid()}\\n')\n" +
                                 function("return 4 if epoch != 2 else 1 // 0"));
        QCOMPARE(ask(*growth, 1, 8), QStringLiteral("4"));
        VERIFY_CONTAINS(ask(*growth, 2, 8), "ZeroDivisionError");
        QCOMPARE(ask(*growth, 3, 8), QStringLiteral("4"));
        const QList<QByteArray> pids = contents("pids").trimmed().split('\n');
        QCOMPARE(pids.size(), 2);
        TRY_VERIFY(test::isGone(pids.first().toLongLong()));
    }

    void importsOnceAndAnswersEachQuestion()
    {
        const auto growth = make("calls = 0\nopen('imports', 'a').write('.')\n" +
                                 function("global calls; calls += 1; return calls"));
        QStringList heard;
        connect(growth.get(), &GrowthFunction::answered, this,
                [&](qint64 increment) { heard.append(QString::number(increment)); });
        for (const int epoch : {1, 2, 3})
            growth->ask(epoch, 8);
        TRY_COMPARE(heard.join(QLatin1Char(' ')), QStringLiteral("1 2 3"));
        QCOMPARE(contents("imports"), QByteArray("."));
    }

    void leavesNoTraceInTheFolder()
    {
        test::writeFile(m_folder->filePath(QStringLiteral("beside.py")), "by = 4\n");
        const auto growth = make("import beside\n" + function("return beside.by"));
        QCOMPARE(ask(*growth, 3, 8), QStringLiteral("4"));
        QCOMPARE(
            QDir(m_folder->path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries).join(QLatin1Char(' ')),
            QStringLiteral("beside.py growth.py"));
    }

    void ignoresModulesOfTheFolderForItself_data()
    {
        rows<Text>({{"its reader", "json"},
                    {"what Python itself looks for", "sitecustomize"},
                    {"and once more", "usercustomize"},
                    {"its loader", "importlib"},
                    {"what traces errors", "traceback"}});
    }
    void ignoresModulesOfTheFolderForItself()
    {
        const auto& module = row<Text>();
        const QString name = m_folder->filePath(module + QLatin1String(".py"));
        test::writeFile(name, "open(__file__ + '.ran', 'w').close()\nraise SystemExit(9)\n");
        // PYTHONPATH of a user, with an empty entry, which means the current folder.
        const QByteArray path = qgetenv("PYTHONPATH");
        qputenv("PYTHONPATH", ":/nowhere");
        const auto growth = make(function("return 4"));
        const QString answer = ask(*growth, 3, 8);
        path.isNull() ? qunsetenv("PYTHONPATH") : qputenv("PYTHONPATH", path);
        QCOMPARE(answer, QStringLiteral("4"));
        QVERIFY(!QFile::exists(name + QLatin1String(".ran")));
    }

    void importsOnlyConfirmedCode_data()
    {
        const auto add = rows<Text, QByteArray, bool>();
        add("a module", {"beside.py", "by = 4\n", true});
        add("a package", {"beside/__init__.py", "by = 4\n", true});
        add("a package's module", {"beside/__init__.py", "from beside.part import by\n", true});
        add("a folder that is no package", {"beside/part.py", "by = 4\n", false});
        add("a library", {"beside.so", "by = 4\n", false});
    }
    void importsOnlyConfirmedCode()
    {
        const auto& [name, text, isImported] = row<Text, QByteArray, bool>();
        if (name.contains(QLatin1Char('/')))
            QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("beside")));
        test::writeFile(m_folder->filePath(name), text);
        if (text.contains("beside.part"))
            test::writeFile(m_folder->filePath(QStringLiteral("beside/part.py")), "by = 4\n");
        const auto growth = make(isImported ? "import beside\n" + function("return beside.by")
                                            : "from beside import part\n" + function("return part.by"));
        const QString answer = ask(*growth, 3, 8);
        if (isImported)
            QCOMPARE(answer, QStringLiteral("4"));
        else
            VERIFY_CONTAINS(answer, "raised ModuleNotFoundError: No module named 'beside'");
    }

    void importsSourcesInsteadOfCompiledFiles()
    {
        test::writeFile(m_folder->filePath(QStringLiteral("beside.py")), "by = 4\n");
        QProcess python;
        python.setWorkingDirectory(m_folder->path());
        // Python imports a file with an unchecked hash even if its source has changed.
        python.start(
            QStringLiteral("python3"),
            {QStringLiteral("-c"), QStringLiteral("import py_compile as p; p.compile('beside.py', "
                                                  "invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH); "
                                                  "p.compile('beside.py', 'alone.pyc')")});
        QVERIFY(python.waitForFinished() && python.exitCode() == 0);
        test::writeFile(m_folder->filePath(QStringLiteral("beside.py")), "by = 5\n");
        const auto growth = make("import beside\ntry:\n    import alone\n    more = 100\n"
                                 "except ImportError:\n    more = 0\n" +
                                 function("return beside.by + more"));
        QCOMPARE(ask(*growth, 3, 8), QStringLiteral("5"));
    }

    void refusesChangedCode()
    {
        const QString path = write(function("return 4"));
        const auto code = engine::CodeContent::of(path);
        const auto growth = training::makeGrowthFunction(path, patience, code);
        write("open('ran', 'w').close()\n" + function("return 4"));
        VERIFY_CONTAINS(ask(*growth, 3, 8), "growth.py is not what was let run any more");
        QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("ran"))));
        write(function("return 4"));
        QCOMPARE(ask(*growth, 3, 8), QStringLiteral("4"));
    }

    void reportsAMissingPython()
    {
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", m_folder->path().toLocal8Bit());
        const auto growth = make(function("return 4"));
        const QString sentence = ask(*growth, 3, 8);
        qputenv("PATH", path);
        VERIFY_CONTAINS(sentence, "python3 could not be started");
        VERIFY_CONTAINS(sentence, "Install Python 3");
        QCOMPARE(ask(*growth, 3, 8), QStringLiteral("4"));
    }

    void leavesNoProcessBehind_data()
    {
        rows<QByteArray>({{"idle", "return 4"}, {"busy", "time.sleep(1000)"}});
    }
    void leavesNoProcessBehind()
    {
        const auto& body = row<QByteArray>();
        auto growth = make("import os, subprocess, time\nchild = subprocess.Popen(['sleep', '1000'])\n"
                           "open('pids', 'w').write(f'{os.getpid()} {child.pid}\\n')\n" +
                           function(body.constData()));
        QSignalSpy answered(growth.get(), &GrowthFunction::answered);
        growth->ask(3, 8);
        TRY_VERIFY(contents("pids").endsWith('\n'));
        if (body.startsWith("return"))
            TRY_COMPARE(answered.count(), 1);
        growth.reset();
        for (const QByteArray& pid : contents("pids").trimmed().split(' '))
            TRY_VERIFY(test::isGone(pid.toLongLong()));
    }

    // A dead disk can hold a process in this way, see test::becomeStuck().
    void abandonsAProcessThatCannotBeKilled()
    {
        auto growth = make("import os, time\n"
                           "def sleeper():\n"
                           "    pid = os.fork()\n"
                           "    if pid == 0:\n"
                           "        time.sleep(60)\n"
                           "        os._exit(0)\n"
                           "    return pid\n"
                           "sleeper()\n"
                           "elsewhere = sleeper()\n"
                           "os.setpgid(elsewhere, elsewhere)\n"
                           "os.setpgid(0, elsewhere)\n"
                           "open('pids', 'w').write(f'{os.getpid()} {elsewhere}')\n" +
                           function("return 4"));
        QCOMPARE(ask(*growth, 1, 8), QStringLiteral("4"));
        growth.reset();
        const QList<QByteArray> pids = contents("pids").split(' ');
        const bool isLeft = test::isAlive(pids.front().toLongLong());
        for (const QByteArray& pid : pids)
            test::sendSignal(pid.toLongLong(), SIGKILL);
        QVERIFY(isLeft);
        TRY_VERIFY(test::isGone(pids.front().toLongLong()));
    }

    void outlivesAProcessThatEndsAfterItsAnswer()
    {
        const auto growth = make("import os, threading\nopen('pids', 'w').write(str(os.getpid()))\n" +
                                 function("threading.Timer(0.05, os._exit, [0]).start(); return 4"));
        QSignalSpy failed(growth.get(), &GrowthFunction::failed);
        QCOMPARE(ask(*growth, 1, 8), QStringLiteral("4"));
        TRY_VERIFY(test::isGone(contents("pids").toLongLong()));
        QCoreApplication::processEvents();
        QVERIFY(failed.isEmpty());
        QCOMPARE(ask(*growth, 2, 8), QStringLiteral("4"));
    }

private:
    QString write(const QByteArray& text)
    {
        const QString path = m_folder->filePath(QStringLiteral("growth.py"));
        test::writeFile(path, text);
        return path;
    }

    std::unique_ptr<GrowthFunction> make(const QByteArray& text, std::chrono::milliseconds timeout = patience)
    {
        return training::makeGrowthFunction(write(text), timeout);
    }

    /// Returns the answer, or the message of a failure.
    QString ask(GrowthFunction& growth, std::int64_t epoch, std::int64_t size)
    {
        QSignalSpy answered(&growth, &GrowthFunction::answered);
        QSignalSpy failed(&growth, &GrowthFunction::failed);
        growth.ask(epoch, size);
        if (!answered.isEmpty() || !failed.isEmpty())
            return QStringLiteral("it answered before ask() had returned");
        const auto arrived = [&] { return !answered.isEmpty() || !failed.isEmpty(); };
        if (!QTest::qWaitFor(arrived, static_cast<int>(patience.count())))
            return QStringLiteral("it did not answer");
        return answered.isEmpty() ? failed.first().first().toString() : answered.first().first().toString();
    }

    QByteArray contents(const char* name) const
    {
        return test::readFile(m_folder->filePath(QString::fromUtf8(name)));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(PythonGrowthTest)
#include "tst_python_growth.moc"

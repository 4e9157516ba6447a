// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/python_stack.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <stop_token>

using namespace batchpeak;
using test::row;
using test::rows;
using test::Text;

namespace {

struct Answer
{
    /// Shell script that replaces the interpreter.
    Text script;
    Text problem;
    Text text;
};

} // namespace

/// Tests which of the user's Python interpreters is chosen, and which packages are found in it.
class PythonStackTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void choosesTheActiveInterpreter_data()
    {
        rows<Text, Text>({{"a virtual environment", {"VIRTUAL_ENV CONDA_PREFIX PATH", "VIRTUAL_ENV"}},
                          {"conda", {"CONDA_PREFIX PATH", "CONDA_PREFIX"}},
                          {"that of the path", {"PATH", "PATH"}},
                          {"none", {"", ""}}});
    }
    void choosesTheActiveInterpreter()
    {
        const auto& [variables, taken] = row<Text, Text>();
        QProcessEnvironment environment;
        // An environment that has been removed does not count.
        environment.insert(QStringLiteral("VIRTUAL_ENV"), m_folder->filePath(QStringLiteral("gone")));
        environment.insert(QStringLiteral("PATH"), m_folder->filePath(QStringLiteral("nothing")));
        for (const QString& variable : variables.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            const QString folder = m_folder->filePath(variable);
            const QString program = makeProgram(variable + QLatin1String("/bin/python3"), "");
            environment.insert(variable,
                               variable == QLatin1String("PATH") ? QFileInfo(program).path() : folder);
        }
        const QString expected =
            taken.isEmpty() ? QString() : m_folder->filePath(taken + QLatin1String("/bin/python3"));
        QCOMPARE(engine::pythonIn(environment), expected);
    }

    void reportsItsPackages_data()
    {
        rows<Answer>(
            {{"all",
              {R"(echo '{"python":"3.11.2","torch":"2.9.1","transformers":"5.1","peft":"0.2","trl":null}')",
               "", "Python 3.11.2 (PYTHON): torch 2.9.1, transformers 5.1, peft 0.2."}},
             {"no transformers",
              {R"(echo '{"python":"3.9.1","torch":"2.9.1","transformers":null,"problem":"It has none."}')",
               "It has none.", "Python 3.9.1 (PYTHON): torch 2.9.1."}},
             {"after output of the environment",
              {R"(echo Welcome; echo; echo '{"python":"3.9.1","torch":"2.9.1"}'; echo; echo Bye >&2)", "",
               "Python 3.9.1 (PYTHON): torch 2.9.1."}},
             {"before output of the environment",
              {R"(echo '{"python":"3.9.1","torch":"2.9.1"}'; echo Bye)", "",
               "Python 3.9.1 (PYTHON): torch 2.9.1."}},
             {"not the package",
              {"echo 'x\nNo module named batchpeak_trial' >&2; exit 1",
               "PYTHON has no package batchpeak_trial (No module named batchpeak_trial), which is in", ""}},
             {"an old Python",
              {"echo 'SyntaxError: invalid syntax' >&2; exit 1",
               "PYTHON does not answer as a Python of 3.9 or newer does (SyntaxError: invalid syntax); name "
               "another one by --with python=PATH.",
               ""}},
             {"something else",
              {"echo hello", "PYTHON does not answer as a Python of 3.9 or newer does (hello)", ""}},
             {"nothing",
              {"", "PYTHON does not answer as a Python of 3.9 or newer does (it says nothing)", ""}},
             {"endless output",
              {"while echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; do :; done",
               "PYTHON does not answer as a Python of 3.9 or newer does (it prints without end)", ""}}});
    }
    void reportsItsPackages()
    {
        const auto& [script, problem, text] = row<Answer>();
        const QString program = makeProgram(QStringLiteral("python3"), script.toUtf8());
        const auto named = [&](QString sentence) {
            return sentence.replace(QLatin1String("PYTHON"), program);
        };
        const engine::PythonStack stack = engine::pythonStackOf(program, {});
        if (problem.isEmpty())
            QCOMPARE(stack.problem, QString());
        else
            QVERIFY2(stack.problem.startsWith(named(problem)), qPrintable(stack.problem));
        if (!text.isEmpty())
            QCOMPARE(engine::pythonStackText(stack), named(text));
    }

    void reportsAMissingInterpreter()
    {
        const engine::PythonStack stack =
            engine::pythonStackOf(m_folder->filePath(QStringLiteral("none")), {});
        QVERIFY2(stack.problem.contains(QStringLiteral("does not answer")), qPrintable(stack.problem));
    }

    void requiresThePackagesOfTheRun_data()
    {
        using Change = void (*)(trial::LoadRequest&);
        rows<Change, Text>(
            {{"nothing", {[](trial::LoadRequest&) {}, ""}},
             {"adapters",
              {[](trial::LoadRequest& load) { load.tuning.adapter = model::AdapterKind::Lora; }, "peft"}},
             {"a quantized base",
              {[](trial::LoadRequest& load) { load.tuning.frozenWeights = model::FrozenWeights::Int8; },
               "bitsandbytes"}},
             {"its optimizer",
              {[](trial::LoadRequest& load) { load.optimizer = model::Optimizer::Lion; }, "bitsandbytes"}},
             {"its optimizer, in evaluation",
              {[](trial::LoadRequest& load) {
                   load.optimizer = model::Optimizer::Lion;
                   load.phase = model::Phase::Eval;
               },
               ""}},
             {"preferences",
              {[](trial::LoadRequest& load) { load.step.preference = model::Preference::Dpo; }, "trl"}},
             {"a value head",
              {[](trial::LoadRequest& load) { load.step.preference = model::Preference::ValueHead; }, ""}}});
    }
    void requiresThePackagesOfTheRun()
    {
        const auto& [change, package] = row<void (*)(trial::LoadRequest&), Text>();
        engine::PythonStack stack;
        for (const char* name : {"peft", "bitsandbytes", "trl"})
            stack.lacks[QLatin1String(name)] = QLatin1String(name);
        trial::LoadRequest load;
        change(load);
        QCOMPARE(engine::problemFor(stack, load), package);
        stack.lacks.clear();
        QCOMPARE(engine::problemFor(stack, load), QString());
        stack.problem = QStringLiteral("no torch");
        QCOMPARE(engine::problemFor(stack, load), stack.problem);
    }

    /// The folder of a config may contain modules of its own.
    void runsNoCodeOfTheCurrentFolder_data()
    {
        rows<bool, QByteArray>({{"as it is", {true, ""}},
                                {"with the current folder in PYTHONPATH", {true, ":/nothing:."}},
                                {"with the package in the interpreter", {false, ":/nothing:."}}});
    }
    void runsNoCodeOfTheCurrentFolder()
    {
        const auto& [usesOwnPackages, pythonPath] = row<bool, QByteArray>();
        const QString python = engine::pythonIn(QProcessEnvironment::systemEnvironment());
        const QString ownPackages = engine::pythonPackages(QCoreApplication::applicationDirPath());
        if (python.isEmpty())
            QSKIP("There is no python3 here.");
        QVERIFY(!ownPackages.isEmpty());
        const QString packages = usesOwnPackages ? ownPackages : QString();
        // The interpreter finds the package through an additional folder in PYTHONPATH.
        const QByteArray before = qgetenv("PYTHONPATH");
        qputenv("PYTHONPATH", usesOwnPackages ? pythonPath : ownPackages.toUtf8() + pythonPath);
        const auto restore = qScopeGuard([&] { qputenv("PYTHONPATH", before); });
        const QString mark = m_folder->filePath(QStringLiteral("was here"));
        for (const char* module : {"json", "argparse", "torch", "batchpeak_trial"})
            test::writeFile(m_folder->filePath(QLatin1String(module) + QLatin1String(".py")),
                            "open(" + ('"' + mark.toUtf8() + '"') + ", 'w')\n");
        const QString folder = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const engine::PythonStack stack = engine::pythonStackOf(python, packages);
        QProcess worker;
        worker.setEnvironment(QProcess::systemEnvironment() + engine::pythonEnvironment(packages));
        worker.start(python,
                     engine::pythonWorkerArguments(packages) + QStringList(QStringLiteral("--version")));
        const bool hasEnded = worker.waitForFinished();
        QVERIFY(QDir::setCurrent(folder));
        QVERIFY2(!stack.version.isEmpty(), qPrintable(stack.problem));
        QVERIFY(hasEnded);
        QVERIFY(worker.readAllStandardOutput().startsWith("batchpeak_trial.transformers"));
        QVERIFY(!QFile::exists(mark));
    }

    void stopsOnRequest()
    {
        const QString program = makeProgram(QStringLiteral("slow"), "exec sleep 60");
        std::stop_source stop;
        stop.request_stop();
        QElapsedTimer clock;
        clock.start();
        QVERIFY(!engine::pythonStackOf(program, {}, stop.get_token()).problem.isEmpty());
        QVERIFY(clock.elapsed() < 30'000);
    }

    void findsItsPackageNextToTheProgram()
    {
        const QString packages = m_folder->filePath(QStringLiteral("share/batchpeak/python"));
        const QString programs = m_folder->filePath(QStringLiteral("bin"));
        QCOMPARE(engine::pythonPackages(programs), QString());
        QVERIFY(QDir().mkpath(packages + QLatin1String("/batchpeak_trial")));
        QCOMPARE(engine::pythonPackages(programs), packages);
        QVERIFY(
            engine::pythonEnvironment(packages).front().startsWith(QLatin1String("PYTHONPATH=") + packages));
    }

private:
    QString makeProgram(const QString& name, const QByteArray& script) const
    {
        const QString path = m_folder->filePath(name);
        test::writeProgram(path, script);
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(PythonStackTest)
#include "tst_python_stack.moc"

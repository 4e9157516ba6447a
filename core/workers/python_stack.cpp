// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "python_stack.h"

#include "options/exploration_options.h"
#include "process_group.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>

namespace batchpeak::engine {

namespace {

// An interpreter on a network disk takes seconds to look up its packages.
constexpr std::chrono::milliseconds longestAnswer = std::chrono::seconds(30);
// Most bytes of an interpreter's output, including its answer.
constexpr qsizetype maxBytes = 1 << 20;

QString interpreterIn(const QString& folder)
{
    for (const char* name : {"bin/python3", "bin/python"}) {
        const QFileInfo file(QDir(folder).filePath(QLatin1String(name)));
        if (file.isFile() && file.isExecutable())
            return file.absoluteFilePath();
    }
    return {};
}

/// Returns the answer, which is one line; an environment may print other lines before and after it.
QJsonObject answerIn(const QByteArray& text)
{
    const QList<QByteArray> lines = text.split('\n');
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        QJsonObject told = QJsonDocument::fromJson(*line).object();
        if (told.contains(QLatin1String("torch")))
            return told;
    }
    return {};
}

struct Answer
{
    QByteArray output;
    QByteArray errors;
    /// Reason that there is no answer; empty if the interpreter ended well.
    QString problem;
};

/// Returns the interpreter's output until it ends, takes too long, prints too much, or the wait is canceled.
Answer answerOf(QProcess& process, const std::stop_token& token)
{
    constexpr std::chrono::milliseconds step(50);
    Answer answer;
    const auto read = [&] {
        answer.output += process.readAllStandardOutput();
        answer.errors += process.readAllStandardError();
        return answer.output.size() + answer.errors.size() <= maxBytes;
    };
    auto waited = std::chrono::milliseconds::zero();
    while (!process.waitForFinished(static_cast<int>(step.count())) &&
           process.state() != QProcess::NotRunning) {
        waited += step;
        if (token.stop_requested())
            answer.problem = Translated::tr("nobody waits for it any more");
        else if (waited >= longestAnswer)
            answer.problem =
                Translated::tr("not within %1 s")
                    .arg(std::chrono::duration_cast<std::chrono::seconds>(longestAnswer).count());
        else if (!read())
            answer.problem = Translated::tr("it prints without end");
        if (!answer.problem.isEmpty())
            return answer;
    }
    read();
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        answer.problem = lastLineOf(answer.errors.trimmed().isEmpty() ? answer.output : answer.errors);
    return answer;
}

QStringList namesOf(const QJsonArray& devices)
{
    QStringList names;
    for (const QJsonValue device : devices)
        names << device[QLatin1String("name")].toString();
    return names;
}

/// Returns the problem of an interpreter that did not answer in the format of the package.
QString problemOf(const QString& program, const QString& packages, const Answer& answer)
{
    if (packages.isEmpty() && answer.problem.contains(QLatin1String("batchpeak_trial")))
        return Translated::tr(
                   "%1 has no package batchpeak_trial (%2), which is in the folder python of "
                   "Batchpeak's sources. Install that folder there, or let BATCHPEAK_PYTHON name it.")
            .arg(program, answer.problem);
    const QString problem = answer.problem.isEmpty() ? lastLineOf(answer.output) : answer.problem;
    return Translated::tr("%1 does not answer as a Python of 3.9 or newer does (%2); name another one by "
                          "--with python=PATH.")
        .arg(program, problem.isEmpty() ? Translated::tr("it says nothing") : problem);
}

} // namespace

QString pythonIn(const QProcessEnvironment& environment)
{
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        const QString folder = environment.value(QLatin1String(variable));
        if (QString program = folder.isEmpty() ? QString() : interpreterIn(folder); !program.isEmpty())
            return program;
    }
    return QStandardPaths::findExecutable(QStringLiteral("python3"),
                                          environment.value(QStringLiteral("PATH")).split(QLatin1Char(':')));
}

QString pythonPackages(const QString& programFolder)
{
    const QString beside = programFolder + QStringLiteral("/../share/batchpeak/python");
    for (const QString& path : {QDir::cleanPath(beside), qEnvironmentVariable("BATCHPEAK_PYTHON")}) {
        if (!path.isEmpty() && QFileInfo::exists(path + QStringLiteral("/batchpeak_trial")))
            return path;
    }
    return {};
}

QStringList pythonEnvironment(const QString& packages)
{
    QStringList folders;
    if (!packages.isEmpty())
        folders << packages;
    // Python interprets an empty entry as its working directory.
    for (const QString& folder : qEnvironmentVariable("PYTHONPATH").split(QLatin1Char(':'))) {
        if (QDir::isAbsolutePath(folder))
            folders << folder;
    }
    return {QStringLiteral("PYTHONPATH=") + folders.join(QLatin1Char(':'))};
}

QStringList pythonWorkerArguments(const QString& packages)
{
    if (!packages.isEmpty())
        return {packages + QStringLiteral("/transformers_worker.py")};
    // With "-m", Python before 3.11 would also search its working directory for the module.
    return {QStringLiteral("-c"),
            QStringLiteral("import sys; sys.path[:] = [path for path in sys.path if path]; "
                           "from batchpeak_trial.transformers import main; sys.exit(main())")};
}

QStringList pythonWorkerWords()
{
    return {QStringLiteral("-m"), QStringLiteral("batchpeak_trial.transformers")};
}

QStringList torchrunArguments(std::int64_t processes, const QStringList& node)
{
    // As with pythonWorkerArguments(), nothing of the working directory may be imported.
    QStringList words{QStringLiteral("-c"),
                      QStringLiteral("import sys; sys.path[:] = [path for path in sys.path if path]; "
                                     "from torch.distributed.run import main; sys.exit(main())")};
    words += node.isEmpty() ? QStringList(QStringLiteral("--standalone")) : node;
    // Releases before 2.4 look only every 5 seconds whether a process has ended.
    return words + QStringList{QStringLiteral("--nproc-per-node=%1").arg(processes),
                               QStringLiteral("--monitor-interval=0.1"), QStringLiteral("--no-python")};
}

PythonStack pythonStackFrom(const QJsonObject& told)
{
    PythonStack stack;
    const auto text = [&](const char* key) { return told[QLatin1String(key)].toString(); };
    stack.version = text("python");
    stack.torch = text("torch");
    stack.transformers = text("transformers");
    stack.peft = text("peft");
    stack.trl = text("trl");
    stack.bitsandbytes = text("bitsandbytes");
    stack.devices = namesOf(told[QLatin1String("devices")].toArray());
    stack.unusedDevices = namesOf(told[QLatin1String("unused_devices")].toArray());
    stack.problem = text("problem");
    const QJsonObject lacks = told[QLatin1String("lacks")].toObject();
    for (const QString& package : lacks.keys())
        stack.lacks[package] = lacks[package].toString();
    return stack;
}

PythonStack pythonStackOf(const QString& program, const QString& packages, const std::stop_token& token)
{
    PythonStack stack{.program = program};
    QProcess python;
    QStringList environment = QProcess::systemEnvironment();
    environment += pythonEnvironment(packages);
    python.setEnvironment(environment);
    // The interpreter may be a script that starts the actual one.
    leadOwnGroup(python);
    python.start(program, pythonWorkerArguments(packages) + QStringList{QStringLiteral("--describe")});
    const bool isStarted = python.waitForStarted();
    const qint64 group = python.processId();
    const Answer answer = isStarted ? answerOf(python, token) : Answer{.problem = python.errorString()};
    if (python.state() != QProcess::NotRunning) {
        signalGroup(python, group, SIGKILL);
        python.waitForFinished();
    }
    const QJsonObject told = answer.problem.isEmpty() ? answerIn(answer.output) : QJsonObject();
    if (told.isEmpty()) {
        stack.problem = problemOf(program, packages, answer);
        return stack;
    }
    stack = pythonStackFrom(told);
    stack.program = program;
    return stack;
}

QString pythonNamed(const QString& python)
{
    return python == anyPython ? pythonIn(QProcessEnvironment::systemEnvironment()) : python;
}

PythonStack pythonStackNamed(const QString& python, const std::stop_token& token)
{
    const QString program = pythonNamed(python);
    if (program.isEmpty())
        return {.problem =
                    Translated::tr("There is no python3; activate your environment, or name it by --with "
                                   "python=PATH.")};
    return pythonStackOf(program, pythonPackages(QCoreApplication::applicationDirPath()), token);
}

QString problemFor(const PythonStack& stack, const trial::LoadRequest& load)
{
    using model::Optimizer;
    const bool trains = load.phase == model::Phase::Train;
    const bool isQuantized = load.tuning.frozenWeights == model::FrozenWeights::Nf4 ||
                             load.tuning.frozenWeights == model::FrozenWeights::Int8;
    constexpr std::array ofBitsandbytes{Optimizer::AdamW8bit, Optimizer::AdamW32bit, Optimizer::Lion,
                                        Optimizer::Lion8bit};
    const bool stepsByIt =
        trains && std::ranges::find(ofBitsandbytes, load.optimizer) != ofBitsandbytes.end();
    QStringList needed;
    if (model::hasAdapters(load.tuning))
        needed << QStringLiteral("peft");
    if (isQuantized || stepsByIt)
        needed << QStringLiteral("bitsandbytes");
    if (trains && model::learnsByTrl(load.step.preference))
        needed << QStringLiteral("trl");
    QString problem = stack.problem;
    for (const QString& package : needed)
        problem = problem.isEmpty() ? stack.lacks.value(package) : problem;
    return problem;
}

QString librariesText(const PythonStack& stack)
{
    QStringList packages;
    const auto add = [&](const char* name, const QString& version) {
        if (!version.isEmpty())
            packages << QLatin1String(name) + QLatin1Char(' ') + version;
    };
    add("torch", stack.torch);
    add("transformers", stack.transformers);
    add("peft", stack.peft);
    add("trl", stack.trl);
    add("bitsandbytes", stack.bitsandbytes);
    return packages.join(QLatin1String(", "));
}

QString pythonStackText(const PythonStack& stack)
{
    const QString libraries = librariesText(stack);
    const QString python = Translated::tr("Python %1 (%2)").arg(stack.version, stack.program);
    return libraries.isEmpty() ? python + QLatin1Char('.') : Translated::tr("%1: %2.").arg(python, libraries);
}

} // namespace batchpeak::engine

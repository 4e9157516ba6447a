// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "python_stack.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>

#include <chrono>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::PythonStack)
};

const QString workerModule = QStringLiteral("batchpeak_trial.transformers");

// An interpreter on a network's disk takes seconds to look its packages up.
constexpr std::chrono::milliseconds longestAnswer = std::chrono::seconds(30);

QString interpreterIn(const QString& folder)
{
    for (const char* name : {"bin/python3", "bin/python"}) {
        const QFileInfo file(QDir(folder).filePath(QLatin1String(name)));
        if (file.isFile() && file.isExecutable())
            return file.absoluteFilePath();
    }
    return {};
}

QString lastLineOf(const QByteArray& text)
{
    return QString::fromUtf8(text.trimmed().split('\n').back());
}

/// The line that installs what is missing.
QString pipLine(const QString& program, const QStringList& packages)
{
    return QStringLiteral("%1 -m pip install %2").arg(program, packages.join(QLatin1Char(' ')));
}

QString problemOf(const PythonStack& stack)
{
    QStringList missing;
    if (stack.torch.isEmpty())
        missing << QStringLiteral("torch");
    if (stack.transformers.isEmpty())
        missing << QStringLiteral("transformers");
    if (missing.isEmpty())
        return {};
    return Translated::tr("%1 has no %2; install it by: %3")
        .arg(stack.program, missing.join(Translated::tr(" and no ")), pipLine(stack.program, missing));
}

/// \return false where it takes too long, or nobody waits any more
bool hasEnded(QProcess& process, const std::stop_token& token)
{
    constexpr std::chrono::milliseconds step(50);
    for (auto waited = step; waited <= longestAnswer && !token.stop_requested(); waited += step) {
        if (process.waitForFinished(static_cast<int>(step.count())))
            return true;
        if (process.state() == QProcess::NotRunning)
            return true;
    }
    return false;
}

} // namespace

QString pythonIn(const QProcessEnvironment& environment)
{
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        const QString folder = environment.value(QLatin1String(variable));
        if (const QString program = folder.isEmpty() ? QString() : interpreterIn(folder); !program.isEmpty())
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
    if (packages.isEmpty())
        return {};
    const QString others = qEnvironmentVariable("PYTHONPATH");
    return {QStringLiteral("PYTHONPATH=") + packages +
            (others.isEmpty() ? QString() : QLatin1Char(':') + others)};
}

QStringList pythonWorkerArguments(const QString& packages)
{
    if (!packages.isEmpty())
        return {packages + QStringLiteral("/transformers_worker.py")};
    return {QStringLiteral("-m"), workerModule};
}

PythonStack pythonStackOf(const QString& program, const QString& packages, const std::stop_token& token)
{
    PythonStack stack{.program = program};
    QProcess python;
    QStringList environment = QProcess::systemEnvironment();
    environment += pythonEnvironment(packages);
    python.setEnvironment(environment);
    // With "-m" Python looks for modules in the folder that it runs in.
    python.setWorkingDirectory(QDir::rootPath());
    python.start(program, pythonWorkerArguments(packages) + QStringList{QStringLiteral("--describe")});
    if (!python.waitForStarted() || !hasEnded(python, token)) {
        const QString error = python.errorString();
        python.kill();
        python.waitForFinished();
        stack.problem = Translated::tr("%1 does not answer (%2); name another one by --with python=PATH.")
                            .arg(program, error);
        return stack;
    }
    const QJsonObject told = QJsonDocument::fromJson(python.readAllStandardOutput()).object();
    if (python.exitStatus() != QProcess::NormalExit || python.exitCode() != 0 || told.isEmpty()) {
        stack.problem = Translated::tr("%1 cannot run the package batchpeak-trial (%2); install it by: %3")
                            .arg(program, lastLineOf(python.readAllStandardError()),
                                 pipLine(program, {QStringLiteral("batchpeak-trial")}));
        return stack;
    }
    const auto text = [&](const char* key) { return told[QLatin1String(key)].toString(); };
    stack.version = text("python");
    stack.torch = text("torch");
    stack.transformers = text("transformers");
    stack.peft = text("peft");
    stack.trl = text("trl");
    stack.bitsandbytes = text("bitsandbytes");
    for (const QJsonValue device : told[QLatin1String("devices")].toArray())
        stack.devices << device[QLatin1String("name")].toString();
    stack.problem = problemOf(stack);
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
        return {};
    return pythonStackOf(program, pythonPackages(QCoreApplication::applicationDirPath()), token);
}

QString pythonStackText(const PythonStack& stack)
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
    const QString python = Translated::tr("Python %1 (%2)").arg(stack.version, stack.program);
    return packages.isEmpty() ? python + QLatin1Char('.')
                              : Translated::tr("%1: %2.").arg(python, packages.join(QLatin1String(", ")));
}

} // namespace batchpeak::engine

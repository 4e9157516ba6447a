// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "python_stack.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
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

QStringList pythonWorkerArguments()
{
    return {QStringLiteral("-m"), workerModule};
}

PythonStack pythonStackOf(const QString& program, const QString& packages)
{
    PythonStack stack{.program = program};
    QProcess python;
    QStringList environment = QProcess::systemEnvironment();
    environment += pythonEnvironment(packages);
    python.setEnvironment(environment);
    python.start(program, pythonWorkerArguments() + QStringList{QStringLiteral("--describe")});
    if (!python.waitForStarted() || !python.waitForFinished(static_cast<int>(longestAnswer.count()))) {
        stack.problem = Translated::tr("%1 does not answer (%2); name another one by --with python=PATH.")
                            .arg(program, python.errorString());
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
    stack.problem = problemOf(stack);
    return stack;
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

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"

#include <QJsonObject>
#include <QMap>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <stop_token>

namespace batchpeak::engine {

/// A Python installation of the user that could run trials: its location, and the packages that trials need.
///
/// The package batchpeak_trial, run by that interpreter, provides the information; it imports nothing heavy
/// for it. That package also defines what a trial does there.
struct PythonStack
{
    QString program;
    /// Version of Python: "3.11.2".
    QString version;
    /// Versions of packages; empty if a package is missing.
    QString torch;
    QString transformers;
    QString peft;
    QString trl;
    QString bitsandbytes;
    /// Names of the devices that trials can run on there: "NVIDIA H200", the processor.
    QStringList devices;
    /// GPUs of this computer that the installed torch was not built for.
    QStringList unusedDevices;
    /// Reason that no trial can run there, as a full sentence with the command that fixes it; empty if trials
    /// can run.
    QString problem;
    /// Reasons of the same form for packages that only some runs need, keyed by package: "peft".
    QMap<QString, QString> lacks;

    bool operator==(const PythonStack&) const = default;
};

/// Returns the interpreter of VIRTUAL_ENV, else that of CONDA_PREFIX, else python3 in PATH; empty if there is
/// none.
QString pythonIn(const QProcessEnvironment& environment);

/// Returns the folder that contains batchpeak_trial, for PYTHONPATH: that of the installation, or the one in
/// BATCHPEAK_PYTHON; empty if there is none, so that the interpreter must have the package itself.
QString pythonPackages(const QString& programFolder);

/// Returns the environment, as "NAME=value", in which an interpreter finds the packages of that folder.
QStringList pythonEnvironment(const QString& packages);

/// Returns the arguments with which an interpreter starts a worker. The worker runs no code from its working
/// directory, which may contain a malicious config.
///
/// \param packages  folder that contains batchpeak_trial; empty if the interpreter has the package itself
QStringList pythonWorkerArguments(const QString& packages);
/// Returns arguments for an interpreter behind a launcher, whose command line a shell may split.
QStringList pythonWorkerWords();

/// Returns the arguments with which an interpreter starts several processes that take each step together
/// (torchrun of torch 2.11), each with the words that follow.
/// \param node  options for a node of several: "--nnodes=2" and so on; empty for one node
QStringList torchrunArguments(std::int64_t processes, const QStringList& node = {});

/// Reads the answer of the package to --describe; the program is not in it.
PythonStack pythonStackFrom(const QJsonObject& told);

/// Examines an interpreter in the working directory of trials, since the meaning of "python3" may depend on
/// it. This takes some tenths of a second.
///
/// \param token  cancels the wait
PythonStack pythonStackOf(const QString& program, const QString& packages, const std::stop_token& token = {});

/// Returns the interpreter that options name: anyPython, or a path; empty if there is none.
QString pythonNamed(const QString& python);
/// Examines that interpreter. If there is none, the program of the result is empty, and its problem says so.
PythonStack pythonStackNamed(const QString& python, const std::stop_token& token = {});

/// Returns why trials of such a network, which may need packages besides torch and transformers, cannot run
/// there; empty if they can.
QString problemFor(const PythonStack& stack, const trial::LoadRequest& load);

/// Returns a text such as "torch 2.11.0, transformers 5.23.0"; empty without any.
QString librariesText(const PythonStack& stack);
/// Returns a text such as "Python 3.11.2 (/venv/bin/python3): torch 2.11.0, transformers 5.23.0, peft
/// 0.21.2."
QString pythonStackText(const PythonStack& stack);

} // namespace batchpeak::engine

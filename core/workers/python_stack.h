// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"

#include <QMap>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <stop_token>

namespace batchpeak::engine {

/// A Python of the user's as a road for trials: where it is, and what of it they need.
///
/// The interpreter itself is asked, by the package batchpeak_trial, which imports nothing heavy for it. What
/// a trial does there is that package's business.
struct PythonStack
{
    QString program;
    /// "3.11.2"
    QString version;
    /// Versions of packages; empty where one is not there.
    QString torch;
    QString transformers;
    QString peft;
    QString trl;
    QString bitsandbytes;
    /// What trials can run on there, by name: "NVIDIA H200", the processor.
    QStringList devices;
    /// GPUs of this computer that the torch there was not built for.
    QStringList unusedDevices;
    /// Why no trial can run there, as a full sentence with the line that mends it; empty where trials can.
    QString problem;
    /// The same of packages that some runs need beside, by their names: "peft".
    QMap<QString, QString> lacks;

    bool operator==(const PythonStack&) const = default;
};

/// The interpreter of VIRTUAL_ENV, else that of CONDA_PREFIX, else python3 in PATH; empty where there is
/// none.
QString pythonIn(const QProcessEnvironment& environment);

/// The folder that holds batchpeak_trial, for PYTHONPATH: that of the installation, or what BATCHPEAK_PYTHON
/// names; empty where there is none, so that the interpreter must have the package itself.
QString pythonPackages(const QString& programFolder);

/// The environment, as "NAME=value", in which an interpreter finds the packages of that folder.
QStringList pythonEnvironment(const QString& packages);

/// What starts a worker there: the interpreter's arguments. It runs no code from the folder that it is
/// started in, where a hostile config may lie.
///
/// \param packages  the folder that holds batchpeak_trial; empty where the interpreter has it itself
QStringList pythonWorkerArguments(const QString& packages);
/// The same for an interpreter behind a launcher, whose words a shell may take apart.
QStringList pythonWorkerWords();

/// Asks an interpreter in the folder that trials would run in, since what stands for "python3" may depend on
/// it; that takes some tenths of a second.
///
/// \param token  may end the wait
PythonStack pythonStackOf(const QString& program, const QString& packages, const std::stop_token& token = {});

/// The interpreter that options name: anyPython, or a path; empty where there is none.
QString pythonNamed(const QString& python);
/// What that one has; its program is empty where there is none, and its problem says so.
PythonStack pythonStackNamed(const QString& python, const std::stop_token& token = {});

/// Why trials of such a network cannot run there, which may need packages beside torch and transformers;
/// empty where they can.
QString problemFor(const PythonStack& stack, const trial::LoadRequest& load);

/// "Python 3.11.2 (/venv/bin/python3): torch 2.11.0, transformers 5.23.0, peft 0.21.2."
QString pythonStackText(const PythonStack& stack);

} // namespace batchpeak::engine

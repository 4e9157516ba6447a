// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "python_stack.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// Programs that could run a config's trials, batchpeak-worker and the user's Python, and a recommendation of
/// one of them.
///
/// It decides nothing: the user chooses, or the worker runs the trials.
struct TrialPrograms
{
    /// Reason that batchpeak-worker cannot run them, as a full sentence; empty if it can.
    QString workerProblem;
    /// User's Python; no value while it is unknown.
    std::optional<PythonStack> python;
    /// Reason that the user's Python cannot run this network yet, as a full sentence with the command that
    /// fixes it; empty if it can, or is unknown.
    QString pythonProblem;
    bool advisesPython = false;
    /// Recommended program and the reason, as a full sentence; empty while it is unknown.
    QString advice;
};

/// \param python  result of examining the interpreter; with an empty program if there is none
TrialPrograms trialProgramsFor(const ConfigFile& file, const std::optional<PythonStack>& python);

/// Returns the version of torch that batchpeak-worker uses: "2.11.0".
QString workerTorch();

/// Returns the release of a version, without its build: "2.11.0" for "2.11.0+cu128".
QString releaseOf(const QString& version);

} // namespace batchpeak::engine

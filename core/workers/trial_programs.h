// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "python_stack.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// What could run a config's trials, batchpeak-worker or the user's Python, and which of them is advised.
///
/// It decides nothing: a person chooses, or the worker runs them.
struct TrialPrograms
{
    /// Why batchpeak-worker cannot, as a full sentence; empty where it can.
    QString workerProblem;
    /// Nothing while it is not known.
    std::optional<PythonStack> python;
    /// Why that one cannot run this network yet, as a full sentence with the line that mends it; empty where
    /// it can, or is not known.
    QString pythonProblem;
    bool advisesPython = false;
    /// Which is advised and why, as a full sentence; empty while that is not known.
    QString advice;
};

/// \param python  as the interpreter told it; with an empty program where there is none
TrialPrograms trialProgramsFor(const ConfigFile& file, const std::optional<PythonStack>& python);

/// The torch that batchpeak-worker computes with: "2.11.0".
QString workerTorch();

/// "2.11.0" of "2.11.0+cu128": one release, whatever it was built for.
QString releaseOf(const QString& version);

} // namespace batchpeak::engine

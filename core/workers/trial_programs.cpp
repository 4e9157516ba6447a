// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_programs.h"

#include "text/translated.h"

#include <variant>

namespace batchpeak::engine {

namespace {

bool isThere(const PythonStack& python)
{
    return !python.program.isEmpty();
}

/// Whether its trials would run on the CPU although there are GPUs.
bool leavesGpusIdle(const PythonStack& python)
{
    return !python.unusedDevices.isEmpty();
}

/// Returns why batchpeak-worker, which can run the network, is recommended.
QString reasonForWorker(const TrialPrograms& programs)
{
    const PythonStack& python = *programs.python;
    if (!isThere(python))
        return Translated::tr("there is no Python here");
    if (!python.problem.isEmpty())
        return Translated::tr("your Python cannot run trials");
    if (!programs.pythonProblem.isEmpty())
        return Translated::tr("your Python lacks what this run needs");
    if (leavesGpusIdle(python))
        return Translated::tr("torch %1 of your Python was not built for GPUs").arg(python.torch);
    return Translated::tr("your Python has the same torch");
}

/// Checks the parts of the run that matter to the packages of a Python.
QString problemOf(const PythonStack& python, const config::ConfigContents& contents)
{
    return problemFor(python,
                      {.tuning = contents.tuning, .optimizer = contents.optimizer, .step = contents.step});
}

} // namespace

TrialPrograms trialProgramsFor(const ConfigFile& file, const std::optional<PythonStack>& python)
{
    TrialPrograms programs{.python = python};
    const auto* refused = std::get_if<config::UnsupportedModel>(&file.contents().model);
    const bool isForPython = file.isForPythonAlone();
    if (refused)
        programs.workerProblem = QString::fromStdString(refused->sentence);
    // A network that no program can run needs no recommendation.
    if (!python || (refused && !isForPython))
        return programs;
    programs.pythonProblem = problemOf(*python, file.contentsForPython());
    const bool canRun = isThere(*python) && programs.pythonProblem.isEmpty();
    const bool mayBeAdvised = canRun && !leavesGpusIdle(*python);
    const bool hasOtherTorch = mayBeAdvised && releaseOf(python->torch) != workerTorch();
    const bool compiles =
        mayBeAdvised && file.contentsForPython().step.compilation != model::Compilation::None;
    programs.advisesPython = (isForPython && canRun) || compiles || hasOtherTorch;
    if (isForPython && !canRun) {
        programs.advice =
            Translated::tr("batchpeak-worker cannot run this network; a Python with all that it needs can.");
    } else if (isForPython) {
        programs.advice = Translated::tr("Your Python is advised: batchpeak-worker cannot run this network.");
    } else if (compiles) {
        programs.advice = Translated::tr("Your Python is advised: it compiles the network, as the run does.");
    } else if (hasOtherTorch) {
        programs.advice =
            Translated::tr("Your Python is advised: it has torch %1, and batchpeak-worker has %2.")
                .arg(python->torch, workerTorch());
    } else {
        programs.advice = Translated::tr("Batchpeak's worker is advised: %1.").arg(reasonForWorker(programs));
    }
    return programs;
}

QString workerTorch()
{
    return QStringLiteral(BATCHPEAK_TORCH_VERSION);
}

QString releaseOf(const QString& version)
{
    return version.section(QLatin1Char('+'), 0, 0);
}

} // namespace batchpeak::engine

// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_programs.h"

#include <QCoreApplication>

#include <variant>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::TrialPrograms)
};

/// Of batchpeak-worker, which runs the network.
QString reasonForWorker(const PythonStack& python)
{
    if (python.program.isEmpty())
        return Translated::tr("there is no Python here");
    if (!python.problem.isEmpty())
        return Translated::tr("your Python cannot run trials");
    return Translated::tr("your Python has the same torch");
}

} // namespace

TrialPrograms trialProgramsFor(const ConfigFile& file, const std::optional<PythonStack>& python)
{
    TrialPrograms programs{.python = python};
    const auto* refused = std::get_if<config::UnsupportedModel>(&file.contents().model);
    const bool isForPython = file.isForPythonAlone();
    if (refused)
        programs.workerProblem = QString::fromStdString(refused->sentence);
    // A network that nothing runs needs no advice.
    if (!python || (refused && !isForPython))
        return programs;
    const bool canRun = !python->program.isEmpty() && python->problem.isEmpty();
    const bool hasOtherTorch = canRun && releaseOf(python->torch) != workerTorch();
    const bool compiles = canRun && file.contentsForPython().step.compilation != model::Compilation::None;
    programs.advisesPython = isForPython || compiles || hasOtherTorch;
    if (isForPython) {
        programs.advice = Translated::tr("Your Python is advised: batchpeak-worker cannot run this network.");
    } else if (compiles) {
        programs.advice = Translated::tr("Your Python is advised: it compiles the network, as the run does.");
    } else if (hasOtherTorch) {
        programs.advice =
            Translated::tr("Your Python is advised: it has torch %1, and batchpeak-worker has %2.")
                .arg(python->torch, workerTorch());
    } else {
        programs.advice = Translated::tr("Batchpeak's worker is advised: %1.").arg(reasonForWorker(*python));
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

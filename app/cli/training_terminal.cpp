// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_terminal.h"

#include "command.h"
#include "words/training_text.h"

namespace batchpeak::cli {

namespace {

using training::TrainingEnd;
using training::TrainingRun;
using training::TrainingSnapshot;

// The first interruption ends the run after the current step, the second at once; the system handles the
// third.
constexpr int interruptions = 2;

int exitCodeFor(TrainingEnd end)
{
    switch (end) {
    case TrainingEnd::Completed:
        return exitCode::success;
    case TrainingEnd::Interrupted:
        return exitCode::interrupted;
    case TrainingEnd::NothingFits:
        return exitCode::nothingFits;
    case TrainingEnd::Failed:
        break;
    }
    return exitCode::noTrials;
}

} // namespace

TrainingTerminal::TrainingTerminal(TrainingRun& run, Console& console, Detail detail)
    : RunTerminal(console, interruptions),
      m_run(run),
      m_log(console, detail == Detail::SummaryOnly ? engine::LogLevel::Error : engine::LogLevel::Info)
{
    engine::onEvent<training::TrainingFinished>(run, this, [this](const auto& finished) {
        printSummary();
        end(exitCodeFor(finished.end));
    });
    connect(&run, &TrainingRun::snapshotChanged, this,
            [this](const TrainingSnapshot& snapshot) { m_log.print(snapshot.log, snapshot.failure); });
    if (detail == Detail::SummaryOnly)
        return;
    if (const auto& description = run.snapshot().run) {
        console.answer(introductionLines(*description));
        m_data = description->data;
    }
    printWhatHappens();
    drawLiveLine([this] { return liveLine(m_run.snapshot()); });
}

void TrainingTerminal::printWhatHappens()
{
    engine::onEvent<training::EpochBegan>(m_run, this, [this](const auto&) { printCourse(); });
    engine::onEvent<training::StepDone>(m_run, this, [this](const auto& done) { printStep(done.step); });
    engine::onEvent<training::Evaluated>(m_run, this, [this](const auto& done) {
        const training::TrainingDescription& description = *m_run.snapshot().run;
        console().answer(
            evaluationLine(done.evaluation, description.heldOutSamples > 0, description.run.fidelity));
    });
}

void TrainingTerminal::printCourse()
{
    const auto& description = m_run.snapshot().run;
    if (!description || description->data == m_data)
        return;
    m_data = description->data;
    console().answer(courseLines(*description));
}

void TrainingTerminal::printStep(const training::StepRecord& step)
{
    ++m_steps;
    const bool beginsEpoch = step.epoch != m_epoch && deservesALine(step.epoch + 1);
    m_epoch = step.epoch;
    // A step that was tried again is always printed, so that its success is visible.
    if (!beginsEpoch && !deservesALine(m_steps) && step.attempts == 1)
        return;
    const auto& description = m_run.snapshot().run;
    console().answer(stepLine(step, description ? description->steps : 0,
                              description ? description->run.fidelity : config::Fidelity()));
}

void TrainingTerminal::interrupt()
{
    const bool isInAStep = m_run.snapshot().state == training::TrainingState::Training;
    m_run.stop();
    if (isInAStep && !m_interrupted)
        console().remark(QStringLiteral("Ctrl-C once more ends that step too."));
    m_interrupted = true;
}

void TrainingTerminal::printSummary()
{
    removeLiveLine();
    const TrainingSnapshot& snapshot = m_run.snapshot();
    console().answer(finalLines(snapshot));
    if (!snapshot.failure.isEmpty())
        printError(snapshot.failure);
}

} // namespace batchpeak::cli
